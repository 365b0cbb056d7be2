import { zoneOffsets } from '../../domain/statistics/zone-offsets.js';

/** No zone has ever been further from UTC; seconds. */
const FURTHEST_S = 57_600;
/** The last moment that JavaScript knows. */
const LAST_MS = 8.64e15;

/** What the clocks of a zone show at a moment, as a field takes it: `2026-11-24T01:58:03`. @param ms since 1970 */
export function localText(ms: number, zone: string): string {
  const ahead = zoneOffsets(zone).at(Math.floor(ms / 1000));
  return new Date(Math.min(ms + ahead * 1000, LAST_MS)).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
}

/**
 * The moments at which the clocks of a zone show a time: mostly one. Two where clocks go back over it; where they leave
 * it out, the one at which they do.
 * @param text as `localText` gives it; seconds may be left out
 * @returns ms since 1970, ascending; none of what is no time
 */
export function momentsOf(text: string, zone: string): readonly number[] {
  const local = Date.parse(`${text}Z`) / 1000;
  if (Number.isNaN(local)) return [];
  const spans = [...zoneOffsets(zone).spans(local - FURTHEST_S, local + FURTHEST_S)];
  const shown = spans.flatMap(({ from, to, offset }) => {
    const at = local - offset;
    return at >= from && at < to ? [at] : [];
  });
  const leftOut = spans.filter(({ from, offset }) => local - offset < from).at(0);
  return (shown.length > 0 || leftOut === undefined ? shown : [leftOut.from]).map((at) => at * 1000);
}
