import type { CursorCodec, PageRequest } from '../graphql/connection.js';
import { decodeCursor, encodeCursor } from '../graphql/cursor.js';
import type { SqlParameters } from '../graphql/sql-text.js';
import { formatInstant, isWithinTime } from '../graphql/scalars.js';
import { SubmissionOrder, type FilterKeys } from './submission-filter.js';

/** What a row must show so that its place in either order is known. */
export interface PlacedRow {
  readonly node_key: number | null;
  readonly sequence: string | null;
  readonly lineage_key: number | null;
  readonly kind: number;
  readonly da_height: string | null;
  readonly from_position: string;
  /** Unix microseconds. */
  readonly time_at: string;
}

/** A place in the list of submissions, in both of its orders. */
export interface SubmissionPlace {
  readonly timeMicros: bigint;
  readonly position: bigint;
  readonly sequence: bigint;
  readonly tie: readonly bigint[];
  readonly nodeKey: bigint;
}

/** Stands for the sequence of RECONSTRUCTED rows, which are the last of their event, as nulls are. */
const NO_SEQUENCE = 2n ** 63n - 1n;
/**
 * A row of a list is placed by its event and sequence. Several RECONSTRUCTED rows can come from one event; they are
 * told apart by what names them. The kind of a row of a list may become known later, so it must not place it.
 */
const TIE = ['s.kind', 's.da_height', 's.lineage_key'].map(
  (column) => `CASE WHEN s.sequence IS NULL THEN coalesce(${column}, 0) ELSE 0 END`,
);
const PLACE = ['s.from_position', `coalesce(s.sequence, ${NO_SEQUENCE})`, ...TIE];
const ORDER_BY = ['s.from_position', 's.sequence', ...TIE];

/** Cursors of submissions; good in either order. */
export const SUBMISSION_CURSOR: CursorCodec<PlacedRow, SubmissionPlace> = {
  encode: (row) => {
    const tie = row.sequence === null ? [row.kind, row.da_height ?? 0, row.lineage_key ?? 0] : [0, 0, 0];
    const sequence = row.sequence ?? NO_SEQUENCE;
    return encodeCursor('s', [row.time_at, row.from_position, sequence, ...tie, row.node_key ?? 0]);
  },
  decode: (text) => {
    const values = decodeCursor('s', 7, text);
    if (values === undefined) return undefined;
    const [timeMicros = 0n, position = 0n, sequence = 0n] = values;
    if (!isWithinTime(timeMicros * 1000n)) return undefined;
    return { timeMicros, position, sequence, tie: values.slice(3, 6), nodeKey: values[6] ?? 0n };
  },
};

/** How a page is found: its order, and the conditions that its cursors make. */
export interface SubmissionWalk {
  readonly orderBy: string;
  readonly conditions: string[];
}

/**
 * With one node its rows are walked by their sequence, which gives the same order as the whole list and has an index
 * of its own. Rows of a short time are found by their time and sorted: the sum keeps the list's index out of it.
 */
export function walkSubmissions(
  order: SubmissionOrder,
  request: PageRequest<SubmissionPlace>,
  { nodes, isShortTime }: FilterKeys,
  parameters: SqlParameters,
): SubmissionWalk {
  const onlyNode = nodes?.length === 1 ? nodes[0] : undefined;
  const byTime = order === SubmissionOrder.OCCURRED_ASC || order === SubmissionOrder.OCCURRED_DESC;
  const ascends = order === SubmissionOrder.OBSERVED_ASC || order === SubmissionOrder.OCCURRED_ASC;
  const key = byTime ? 'time' : onlyNode === undefined ? 'position' : 'sequence';
  const conditions: string[] = [];
  const bound = (place: SubmissionPlace | undefined, isAfter: boolean): void => {
    const operator = isAfter === ascends ? '>' : '<';
    if (place !== undefined) conditions.push(compare(key, operator, place, onlyNode, parameters));
  };
  bound(request.after, true);
  bound(request.before, false);
  const columns = { time: ['s.time_at', ...ORDER_BY], position: ORDER_BY, sequence: ['s.sequence'] }[
    key
  ].slice();
  if (isShortTime && !byTime) columns[0] += ' + 0';
  const direction = ascends === request.backwards ? 'DESC' : 'ASC';
  return { orderBy: columns.map((column) => `${column} ${direction}`).join(', '), conditions };
}

function compare(
  key: 'time' | 'position' | 'sequence',
  operator: '<' | '>',
  place: SubmissionPlace,
  onlyNode: number | undefined,
  parameters: SqlParameters,
): string {
  if (key === 'sequence' && place.nodeKey === BigInt(onlyNode ?? 0)) {
    return `s.sequence ${operator} ${parameters.add(place.sequence, 'bigint')}`;
  }
  const columns = [...PLACE];
  const values = [place.position, place.sequence, ...place.tie].map((value) =>
    parameters.add(value, 'bigint'),
  );
  if (key === 'time') {
    columns.unshift('s.time_at');
    values.unshift(parameters.add(formatInstant(place.timeMicros * 1000n), 'timestamptz'));
  }
  return `(${columns.join(', ')}) ${operator} (${values.join(', ')})`;
}
