import { formatTime, type Millis, type Nanos } from '../time.js';

/** RFC 3339 in UTC with up to nine digits of the second, trailing zeros left out, as Go writes a time. */
export function formatNanoseconds(ns: Nanos): string {
  return formatTime(ns, 9).replace(/\.?0+Z$/, 'Z');
}

/** A length of time as Go prints it, such as `5m3.25s`. */
export function formatDuration(ms: Millis): string {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = `${(ms % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
