import { whereAll } from './sql-text.js';

/** Bits that the number of a span lacks of those of a place in its list: 4,096 of them have a row of `submission_span` or `block_span`. */
const SPAN_BITS = 12n;

/** Which spans `z` of a list a page is looked for in, one after the other. */
export interface Spans {
  /** Their table. */
  readonly table: string;
  /** Which of them may hold rows of the page. */
  readonly conditions: readonly string[];
  /** Which rows are of one. */
  readonly rows: readonly string[];
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

/** SQL: the place lies in the span `z`. */
export function isInSpan(place: string): string {
  return `${place} BETWEEN z.span << ${SPAN_BITS} AND ((z.span + 1) << ${SPAN_BITS}) - 1`;
}

/**
 * The first rows in an order. With spans, which must be in that order, it ends at the one that fills the page: the rows of others
 * are neither read nor walked over, so that a page of a past costs what one of the present costs.
 */
export function selectPage(
  { alias, from, conditions, orderBy, limit }: PageParts,
  spans: Spans | undefined,
): string {
  const pageOf = (where: readonly string[]): string =>
    `SELECT * FROM ${from} ${whereAll(where)} ORDER BY ${orderBy} LIMIT ${limit}`;
  if (!spans) return pageOf(conditions);
  return `SELECT ${alias}.* FROM ${spans.table} z
          CROSS JOIN LATERAL (${pageOf([...conditions, ...spans.rows])}) ${alias}
          ${whereAll(spans.conditions)} ORDER BY z.span ${spans.direction}, ${orderBy} LIMIT ${limit}`;
}
