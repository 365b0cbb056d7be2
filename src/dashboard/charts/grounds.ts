import type uPlot from 'uplot';
import type { InPart, UncoveredRange } from './buckets.js';
import { ink } from './inks.js';

const HATCH_PX = 6;
/** Days of a year would be thinner. */
const LEAST_HATCH_PX = 4;

/** Shades stretches that are not fully covered: the larger the share, the darker. */
export function shade(plot: uPlot, uncovered: readonly UncoveredRange[]): void {
  const { ctx, bbox } = plot;
  // The plot remembers its own settings and does not set them again.
  const { fillStyle, globalAlpha } = ctx;
  ctx.fillStyle = ink('--quiet')();
  for (const { from, to, share } of uncovered) {
    const [left, width] = placeOf(plot, { from, to });
    ctx.globalAlpha = 0.06 + 0.14 * share;
    if (width > 0) ctx.fillRect(left, bbox.top, Math.max(width, 1), bbox.height);
  }
  Object.assign(ctx, { fillStyle, globalAlpha });
}

/** Draws slanted lines over partly counted buckets. */
export function hatch(plot: uPlot, inPart: readonly InPart[]): void {
  const { ctx, bbox } = plot;
  const { strokeStyle, globalAlpha, lineWidth } = ctx;
  Object.assign(ctx, { strokeStyle: ink('--quiet')(), globalAlpha: 0.55, lineWidth: devicePixelRatio });
  const bottom = bbox.top + bbox.height;
  ctx.beginPath();
  for (const stretch of inPart) {
    const [left, wide] = placeOf(plot, stretch);
    const right = left + Math.max(wide, LEAST_HATCH_PX);
    if (wide <= 0) continue;
    // Each line rises from the bottom at 45 degrees, within the stretch.
    for (let at = left - bbox.height; at < right; at += HATCH_PX * devicePixelRatio) {
      const [from, to] = [Math.max(at, left), Math.min(at + bbox.height, right)];
      ctx.moveTo(from, bottom - (from - at));
      ctx.lineTo(to, bottom - (to - at));
    }
  }
  ctx.stroke();
  Object.assign(ctx, { strokeStyle, globalAlpha, lineWidth });
}

/** Left edge and width of a stretch on the canvas. */
function placeOf(plot: uPlot, { from, to }: InPart): readonly [left: number, width: number] {
  const { left, width } = plot.bbox;
  const begin = Math.max(plot.valToPos(from, 'x', true), left);
  return [begin, Math.min(plot.valToPos(to, 'x', true), left + width) - begin];
}
