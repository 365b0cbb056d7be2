import { zoneOffsets } from '../../domain/statistics/zone-offsets.js';

/** No zone has ever had a larger offset from UTC; seconds. */
const FURTHEST_S = 57_600;
/** The latest time of a JavaScript Date; ms since 1970. */
const LAST_MS = 8.64e15;

/**
 * The local time of a zone, in the format of a time field: `2026-11-24T01:58:03`.
 * @param ms since 1970
 */
export function localText(ms: number, zone: string): string {
  const ahead = zoneOffsets(zone).at(Math.floor(ms / 1000));
  return new Date(Math.min(ms + ahead * 1000, LAST_MS)).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
}

/**
 * The moments at which a zone's clocks show a time: usually one, and two when the clocks go back over it. For a time that the
 * clocks skip, the moment of the change.
 * @param text in the format of `localText`; seconds may be left out
 * @returns ms since 1970, ascending; empty for an invalid time
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

/** Texts with a zone of their own: `2026-11-24T01:58:03Z`, `2026-11-24T01:58:03+01:00`, `24 Nov 2026, 01:58:03 UTC`. */
const WITH_ZONE = /(?:Z|UTC|GMT|[+-]\d\d:?\d\d)$/i;

/**
 * The moments that somebody may mean by a text: a local time of the zone, a date, or a time with its own zone.
 * @returns ms since 1970, ascending, as {@link momentsOf}; empty for an invalid time
 */
export function momentsMeant(text: string, zone: string): readonly number[] {
  const given = text.trim();
  if (WITH_ZONE.test(given)) return [Date.parse(given)].filter((ms) => !Number.isNaN(ms));
  const local = given.replace(' ', 'T');
  return momentsOf(local.includes('T') ? local : `${local}T00:00`, zone);
}
