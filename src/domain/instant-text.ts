import { formatTime, parseTime } from './time.js';

const DAY_OR_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d))?$/i;

/** A time with a zone, or a day (midnight UTC), as `2026-01-01T00:00:00.000Z`; undefined for any other text. */
export function parseInstantText(text: string): string | undefined {
  const ns = DAY_OR_TIME.test(text) ? parseTime(text) : undefined;
  const moment = ns === undefined ? '' : formatTime(ns, 3);
  // Beyond year 9999 the text has another length.
  return moment.length === 24 ? moment : undefined;
}
