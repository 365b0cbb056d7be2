import { formatTime, type Micros, microsToNanos, type Nanos, nanosToMicros } from '../../domain/time.js';

/** Collects the parameters of one statement while its text is put together. Conditions of what is not given are none. */
export class SqlParameters {
  readonly values: unknown[];

  /** @param first those that the statement has already */
  constructor(first: readonly unknown[] = []) {
    this.values = [...first];
  }

  /** Adds a value and returns its place, such as `$3::bigint[]`. */
  add(value: unknown, type: string): string {
    return `$${this.values.push(value)}::${type}`;
  }

  /** The column holds one of the values. */
  oneOf(column: string, values: readonly unknown[] | null | undefined, type = 'text[]'): string[] {
    return values ? [`${column} = ANY (${this.add(values, type)})`] : [];
  }

  /** The column, of 64 bits, stands so to the value. */
  compare(column: string, operator: Operator, value: bigint | null | undefined): string[] {
    return typeof value === 'bigint' ? [`${column} ${operator} ${this.add(value, 'bigint')}`] : [];
  }

  /**
   * The column stands so to the time. It has microseconds, so a bound with nanoseconds is rounded up to the next
   * microsecond. Then both `column >= bound` and `column < bound` say what they would with all digits.
   */
  compareTime(column: string, operator: '>' | '>=' | '<', time: Nanos | null | undefined): string[] {
    return typeof time === 'bigint' ? [`${column} ${operator} ${this.addTime(ceilToMicros(time))}`] : [];
  }

  /** Adds a time and returns its place. */
  addTime(time: Micros): string {
    return this.add(formatTime(microsToNanos(time)), 'timestamptz');
  }
}

type Operator = '>' | '>=' | '<' | '<=';

function ceilToMicros(time: Nanos): Micros {
  const us = nanosToMicros(time);
  return microsToNanos(us) < time ? us + 1n : us;
}

/** `WHERE …` of conditions that must all hold; nothing for none. */
export function whereAll(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

/** `LIMIT` in the text of a statement instead of beside it: one without parameters is planned once (`KeptPlans`). */
export function limitOf(rows: number): string {
  return rows.toFixed(0);
}

/** A text as a LIKE pattern that finds it anywhere. */
export function anywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
