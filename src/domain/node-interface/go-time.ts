import { formatTime, type Millis, type Nanos } from '../time.js';

/** RFC 3339 in UTC with up to nine digits of the second, trailing zeros left out, as Go writes a time. */
export function formatNanoseconds(ns: Nanos): string {
  return formatTime(ns, 9).replace(/\.?0+Z$/, 'Z');
}

/** Go's result for a duration beyond its range. */
const LONGEST = '2562047h47m16.854775807s';
const LONGEST_MS = 9_223_372_036_854;

/** A duration, rounded to whole seconds, as Go prints it, such as `5m3s`. */
export function formatDuration(ms: Millis): string {
  if (ms > LONGEST_MS) return LONGEST;
  const total = Math.round(ms / 1000);
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor(total / 60) % 60;
  const seconds = `${total % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
