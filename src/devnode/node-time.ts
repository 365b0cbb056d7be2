import { seededInteger } from './seeded-random.js';

const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;

/**
 * Unix nanoseconds of a moment given in Unix milliseconds. The clock knows no nanoseconds, a real node does, so
 * they are made up from the labels: readers must keep all nine digits.
 */
export function toNanoseconds(unixMs: number, ...labels: (string | bigint | number)[]): bigint {
  return BigInt(unixMs) * NS_PER_MS + BigInt(seededInteger(1_000_000, 'nanoseconds', ...labels));
}

/** RFC 3339 in UTC with up to nine digits of the second, trailing zeros left out, as Go writes a time. */
export function formatNanoseconds(unixNs: bigint): string {
  const second = new Date(Number(unixNs / NS_PER_SECOND) * 1000).toISOString().slice(0, 19);
  const fraction = String(unixNs % NS_PER_SECOND)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return fraction === '' ? `${second}Z` : `${second}.${fraction}Z`;
}

/** A length of time as Go prints it, such as `5m3.25s`. */
export function formatDuration(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = `${(ms % 60_000) / 1000}s`;
  if (hours > 0) {
    return `${hours}h${minutes}m${seconds}`;
  }
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
