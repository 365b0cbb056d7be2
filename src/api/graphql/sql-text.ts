import { formatTime, type Micros, microsToNanos, type Nanos, nanosToMicros } from '../../domain/time.js';

/**
 * The number of a span is that of a place in its list without so many bits. A row of `submission_span` or `block_span`
 * has 4,096 places.
 */
const SPAN_BITS = 12n;

/** The spans `z` of a list that a page is read from, one after the other. */
export interface Spans {
  /** Their table. */
  readonly table: string;
  /** The condition that a span may hold rows of the page. */
  readonly conditions: readonly string[];
  /** The place of a row in the list. */
  readonly place: string;
  readonly direction: 'ASC' | 'DESC';
}

/** Rows of a page as parts of a statement. */
interface PageParts {
  readonly alias: string;
  /** The FROM item of that alias. */
  readonly from: string;
  readonly conditions: readonly string[];
  readonly orderBy: string;
  readonly limit: string;
}

/** The span that a place is in. */
export function spanOf(place: bigint): bigint {
  return place >> SPAN_BITS;
}

/**
 * SQL: the place lies in these spans. With bounds that it does not know the planner would expect few rows, and so read
 * and sort all of them, whatever their order. With a lower bound in another form it does not see that both bounds
 * belong together.
 */
function isWithin(place: string, first: string, last: string): string {
  return `(${place}, 0) >= (${first}, 0) AND ${place} <= ((${last} + 1) << ${SPAN_BITS}) - 1`;
}

/**
 * SQL: the place of a row lies between the first of the spans and the last. It is for a file, which is read from there
 * to its end. Each bound is a scalar query, since the planner keeps the order of rows that are compared with those.
 */
export function isBetweenSpans({ table, conditions, place }: Spans): string {
  const end = (of: 'min' | 'max'): string => `(SELECT ${of}(z.span) FROM ${table} z ${whereAll(conditions)})`;
  return isWithin(place, `${end('min')} << ${SPAN_BITS}`, end('max'));
}

/**
 * The first rows in an order. With spans, which must be in that order, it ends at the one that fills the page. The rows
 * of others are neither read nor walked over. So a page of a past costs what one of the present costs. The spans come
 * as an array, so that the planner expects only a few, whatever it knows of their table.
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
