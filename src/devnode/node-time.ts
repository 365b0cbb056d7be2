import { type Millis, millisToNanos, type Nanos } from '../domain/time.js';
import { seededInteger } from './seeded-random.js';

/**
 * A time of the clock in nanoseconds. The clock has no nanoseconds but a real node does, so they are derived from the labels:
 * readers must keep all nine digits.
 */
export function toNanoseconds(ms: Millis, ...labels: (string | bigint | number)[]): Nanos {
  return millisToNanos(ms) + BigInt(seededInteger(1_000_000, 'nanoseconds', ...labels));
}
