import { formatInstant } from './scalars.js';

/** Collects the parameters of one statement while its text is put together. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** Adds a value and returns its place, such as `$3::bigint[]`. */
  add(value: unknown, type: string): string {
    return `$${this.values.push(value)}::${type}`;
  }

  /**
   * Adds a time. A column has microseconds, so a bound with nanoseconds is taken up to the next one: both
   * `column >= bound` and `column < bound` then say what they would with all digits.
   */
  addTime(nanoseconds: bigint): string {
    return this.add(formatInstant(ceilToMicros(nanoseconds) * 1000n), 'timestamptz');
  }
}

function ceilToMicros(nanoseconds: bigint): bigint {
  const floor = nanoseconds / 1000n - (nanoseconds % 1000n < 0n ? 1n : 0n);
  return floor * 1000n === nanoseconds ? floor : floor + 1n;
}

/** SQL for a time column as Unix microseconds. */
export function selectMicros(column: string, name: string): string {
  return `(extract(epoch FROM ${column}) * 1000000)::bigint AS ${name}`;
}

/** Unix nanoseconds of a column that {@link selectMicros} read. */
export function microsToNanos(micros: string): bigint;
export function microsToNanos(micros: string | null): bigint | null;
export function microsToNanos(micros: string | null): bigint | null {
  return micros === null ? null : BigInt(micros) * 1000n;
}

/** `WHERE …` of conditions that must all hold; nothing for none. */
export function whereAll(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

/** A text as a LIKE pattern that finds it anywhere. */
export function likeAnywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
