import type { PublicState } from './public-summary.js';

/** Width in pixels, fill and ink of the right half, as in `tokens.css`. Each pair has a contrast of 4.5 or more. */
const LOOKS: Readonly<Record<PublicState, readonly [width: number, fill: string, ink: string]>> = {
  healthy: [54, '#218358', '#fff'],
  degraded: [64, '#ffc53d', '#1c2024'],
  down: [44, '#ce2c31', '#fff'],
  unknown: [62, '#60646c', '#fff'],
};
const LABEL = 'DA';
const LABEL_WIDTH = 28;

/** A flat badge with the state of a chain, as an SVG file without styles and scripts. */
export function toBadge(state: PublicState): string {
  const [width, fill, ink] = LOOKS[state];
  const all = LABEL_WIDTH + width;
  const text = (x: number, colour: string, words: string): string =>
    `<text x="${x}" y="14" fill="${colour}">${words}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${all}" height="20" role="img" aria-label="${LABEL}: ${state}"><title>${LABEL}: ${state}</title>
<clipPath id="r"><rect width="${all}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="${LABEL_WIDTH}" height="20" fill="#1c2024"/><rect x="${LABEL_WIDTH}" width="${width}" height="20" fill="${fill}"/></g>
<g text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">${text(LABEL_WIDTH / 2, '#fff', LABEL)}${text(LABEL_WIDTH + width / 2, ink, state)}</g></svg>
`;
}
