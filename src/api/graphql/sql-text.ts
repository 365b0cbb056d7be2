import { formatTime, type Micros, microsToNanos, type Nanos, nanosToMicros } from '../../domain/time.js';

/**
 * The number of a span is the number of a place in its list without the lowest 12 bits. A row of `submission_span` or
 * `block_span` covers 4,096 places.
 */
const SPAN_BITS = 12n;

/** The spans (alias `z`) of a list that a page is read from, one after the other. */
export interface Spans {
  readonly table: string;
  /** Conditions that a span must meet to possibly contain rows of the page. */
  readonly conditions: readonly string[];
  /** SQL: the number of a row's place in the list. */
  readonly place: string;
  readonly direction: 'ASC' | 'DESC';
}

/** The parts of a statement that reads a page. */
interface PageParts {
  readonly alias: string;
  /** The FROM item with that alias. */
  readonly from: string;
  readonly conditions: readonly string[];
  readonly orderBy: string;
  readonly limit: string;
}

export function spanOf(place: bigint): bigint {
  return place >> SPAN_BITS;
}

/**
 * SQL: the place is in these spans. The odd form steers the planner: if it did not know the bounds, it would expect few rows, and
 * so read and sort all of them whatever their order. If the lower bound has another form, it does not see that both bounds belong
 * together.
 */
function isWithin(place: string, first: string, last: string): string {
  return `(${place}, 0) >= (${first}, 0) AND ${place} <= ((${last} + 1) << ${SPAN_BITS}) - 1`;
}

/**
 * SQL: the place of a row is between the first and the last of the spans. For a file, which is read from there to its end. Each
 * bound is a scalar subquery, because the planner then keeps the order of the rows compared with it.
 */
export function isBetweenSpans({ table, conditions, place }: Spans): string {
  const end = (of: 'min' | 'max'): string => `(SELECT ${of}(z.span) FROM ${table} z ${whereAll(conditions)})`;
  return isWithin(place, `${end('min')} << ${SPAN_BITS}`, end('max'));
}

/**
 * The first rows in an order. With spans, which must be in the same order, it stops at the span that fills the page and neither
 * reads nor skips rows of other spans, so that a page of the past costs as much as one of the present. The spans are passed as an
 * array, so that the planner expects only a few, whatever its statistics say.
 */
export function selectPage(
  { alias, from, conditions, orderBy, limit }: PageParts,
  spans: Spans | undefined,
): string {
  const pageOf = (where: readonly string[]): string =>
    `SELECT * FROM ${from} ${whereAll(where)} ORDER BY ${orderBy} LIMIT ${limit}`;
  if (!spans) return pageOf(conditions);
  const isInSpan = isWithin(spans.place, `z.span << ${SPAN_BITS}`, 'z.span');
  return `SELECT ${alias}.*
            FROM unnest(ARRAY(SELECT z FROM ${spans.table} z ${whereAll(spans.conditions)} ORDER BY z.span ${spans.direction}))
                 WITH ORDINALITY z
           CROSS JOIN LATERAL (${pageOf([...conditions, isInSpan])}) ${alias}
           ORDER BY z.ordinality, ${orderBy} LIMIT ${limit}`;
}

/** Collects the parameters of one statement while its text is built. An omitted value gives no condition. */
export class SqlParameters {
  readonly values: unknown[];

  /** @param first parameters that the statement already has */
  constructor(first: readonly unknown[] = []) {
    this.values = [...first];
  }

  /** Adds a value and returns its placeholder, such as `$3::bigint[]`. */
  add(value: unknown, type: string): string {
    return `$${this.values.push(value)}::${type}`;
  }

  /** Condition: the column has one of the values. */
  oneOf(column: string, values: readonly unknown[] | null | undefined, type = 'text[]'): string[] {
    return values ? [`${column} = ANY (${this.add(values, type)})`] : [];
  }

  /** Compares a 64-bit column with the value. */
  compare(column: string, operator: Operator, value: bigint | null | undefined): string[] {
    return typeof value === 'bigint' ? [`${column} ${operator} ${this.add(value, 'bigint')}`] : [];
  }

  /**
   * Compares a time column with the time. Columns have microseconds, so a bound with nanoseconds is rounded up to the next
   * microsecond. Then `column >= bound` and `column < bound` give the same result as with all digits.
   */
  compareTime(column: string, operator: '>' | '>=' | '<', time: Nanos | null | undefined): string[] {
    return typeof time === 'bigint' ? [`${column} ${operator} ${this.addTime(ceilToMicros(time))}`] : [];
  }

  /** Adds a time and returns its placeholder. */
  addTime(time: Micros): string {
    return this.add(formatTime(microsToNanos(time)), 'timestamptz');
  }
}

type Operator = '>' | '>=' | '<' | '<=';

function ceilToMicros(time: Nanos): Micros {
  const us = nanosToMicros(time);
  return microsToNanos(us) < time ? us + 1n : us;
}

/** `WHERE …` with all conditions; empty without conditions. */
export function whereAll(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

/** The row count as text for `LIMIT`, instead of a parameter: a statement without parameters is planned once (`PreparedStatements`). */
export function limitOf(rows: number): string {
  return rows.toFixed(0);
}

/** A LIKE pattern that finds the text anywhere. */
export function anywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
