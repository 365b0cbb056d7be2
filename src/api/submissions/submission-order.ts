import { type Micros, microsToNanos } from '../../domain/time.js';
import type { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { CursorCodec, PageRequest } from '../graphql/connection.js';
import { decodeCursor, encodeCursor } from '../graphql/cursor.js';
import type { SqlParameters } from '../graphql/sql-text.js';
import { INT64_MAX, isWithinTime } from '../graphql/scalars.js';
import { spanOf, type Spans } from '../graphql/spans.js';
import type { Past } from '../graphql/time-travel.js';
import { changeCursor, walkChanges, type PageOrder } from '../graphql/updated-rows.js';
import {
  hasOtherIndex,
  SubmissionOrder,
  type FilterKeys,
  type SubmissionFilter,
} from './submission-filter.js';

/** What a row must show so that its place in either order is known. */
export type PlacedRow = Pick<
  SubmissionEntity,
  'sequence' | 'lineageKey' | 'kind' | 'daHeight' | 'fromPosition' | 'timeAt'
>;

/** A place in the list of submissions, in both of its orders. */
export interface SubmissionPlace {
  readonly time: Micros;
  readonly position: bigint;
  readonly sequence: bigint;
  readonly tie: readonly bigint[];
}

/** Stands for the sequence of RECONSTRUCTED rows, which are the last of their event, as nulls are. */
const NO_SEQUENCE = INT64_MAX;
/**
 * A row of a list is placed by its event and sequence. Several RECONSTRUCTED rows can come from one event; they are
 * told apart by what names them. The kind of a row of a list may become known later, so it must not place it.
 */
const TIE = ['s.kind', 's.da_height', 's.lineage_key'].map(
  (column) => `CASE WHEN s.sequence IS NULL THEN coalesce(${column}, 0) ELSE 0 END`,
);
/** What places a row in the order of `ORDER_BY`, without nulls. */
export const PLACE = ['s.from_position', `coalesce(s.sequence, ${NO_SEQUENCE})`, ...TIE] as const;
/** As they became known, the oldest first. */
export const ORDER_BY = ['s.from_position', 's.sequence', ...TIE] as const;

/** Cursors of submissions, with a place in either order. */
export const SUBMISSION_CURSOR: CursorCodec<PlacedRow, SubmissionPlace> = {
  encode: (row) => encodeCursor('s', [row.timeAt, ...placeOf(row)]),
  decode: (text) => {
    const values = decodeCursor('s', 6, text);
    if (values === undefined) return undefined;
    const [time = 0n, position = 0n, sequence = 0n] = values;
    if (!isWithinTime(microsToNanos(time))) return undefined;
    return { time, position, sequence, tie: values.slice(3) };
  },
};

/** What places a row among others, without nulls. */
function placeOf({ fromPosition, sequence, kind, daHeight, lineageKey }: PlacedRow): (bigint | number)[] {
  const tie = sequence === null ? [kind, daHeight ?? 0, lineageKey ?? 0] : [0, 0, 0];
  return [fromPosition, sequence ?? NO_SEQUENCE, ...tie];
}

/** Cursors of submissions in the order of their changes. */
export const CHANGED_SUBMISSION_CURSOR = changeCursor<PlacedRow & Pick<SubmissionEntity, 'change'>>(
  's',
  PLACE.length,
  placeOf,
);

/** As {@link walkSubmissions}, in the order of changes. */
export function walkChangedSubmissions(
  request: PageRequest<readonly bigint[]>,
  parameters: SqlParameters,
): PageOrder {
  return walkChanges('s', PLACE, request, parameters);
}

/** What a page is asked for. */
interface SubmissionWalk {
  readonly order: SubmissionOrder;
  readonly filter: SubmissionFilter;
  readonly past: Past;
  readonly keys: FilterKeys;
  /** Rows are few and found by an index in another order. */
  readonly isSorted?: boolean;
}

/**
 * With one node its rows are walked by their sequence, which gives the same order as the whole list and has an index
 * of its own. Rows of a short time, or of few DA heights, or with a message that few have, are found by these and sorted: the sum keeps the list's index out
 * of it.
 */
export function walkSubmissions(
  { order, filter, past, keys, isSorted = keys.isShortOfHeights }: SubmissionWalk,
  request: PageRequest<SubmissionPlace>,
  parameters: SqlParameters,
): PageOrder {
  const { nodes, isShortTime } = keys;
  const byTime = order === SubmissionOrder.OCCURRED_ASC || order === SubmissionOrder.OCCURRED_DESC;
  const ascends = order === SubmissionOrder.OBSERVED_ASC || order === SubmissionOrder.OCCURRED_ASC;
  const key = byTime ? 'time' : nodes?.length === 1 ? 'sequence' : 'position';
  const bound = (place: SubmissionPlace | undefined, operator: '<' | '>'): string[] =>
    place ? [compare(key, operator, place, parameters)] : [];
  const conditions = [
    ...bound(request.after, ascends ? '>' : '<'),
    ...bound(request.before, ascends ? '<' : '>'),
  ];
  const columns = { time: ['s.time_at', ...ORDER_BY], position: ORDER_BY, sequence: ['s.sequence'] }[
    key
  ].slice();
  if (isSorted) columns[0] += byTime ? " + interval '0'" : ' + 0';
  else if (isShortTime && !byTime) columns[0] += ' + 0';
  const direction = ascends === request.backwards ? 'DESC' : 'ASC';
  const orderBy = columns.map((column) => `${column} ${direction}`).join(', ');
  if (byTime || isSorted || isShortTime || hasOtherIndex(filter, key === 'sequence'))
    return { orderBy, conditions };
  const [low, high] = ascends ? [request.after, request.before] : [request.before, request.after];
  const node = key === 'sequence' ? nodes?.[0] : undefined;
  return { orderBy, conditions, spans: findSpans({ node, filter, past, low, high, direction }, parameters) };
}

interface SpanSearch extends Pick<Spans, 'direction'>, Pick<SubmissionWalk, 'filter' | 'past'> {
  /** Whose list it is; undefined: that of all. */
  readonly node: number | undefined;
  /** Between which places of it the page lies. */
  readonly low: SubmissionPlace | undefined;
  readonly high: SubmissionPlace | undefined;
}

/** Spans of a list, where they rule rows out; in the list of all, positions do so of what was not known yet. */
function findSpans(
  { node, filter, past, low, high, direction }: SpanSearch,
  parameters: SqlParameters,
): Spans | undefined {
  const ofNode = node !== undefined;
  const bounds = [
    ...parameters.compareTime('z.last_time', '>=', filter.from),
    ...parameters.compareTime('z.first_time', '<', filter.to),
    ...(ofNode ? parameters.compare('z.first_position', '<=', past.knownAt) : []),
  ];
  if (bounds.length === 0) return undefined;
  const span = (place: SubmissionPlace | undefined) =>
    place && spanOf(ofNode ? place.sequence : place.position);
  return {
    table: 'submission_span',
    conditions: [
      `z.node_key = ${parameters.add(node ?? 0, 'int')}`,
      ...bounds,
      ...parameters.compare('z.span', '>=', span(low)),
      ...parameters.compare('z.span', '<=', span(high)),
    ],
    place: ofNode ? 's.sequence' : 's.from_position',
    direction,
  };
}

function compare(
  key: 'time' | 'position' | 'sequence',
  operator: '<' | '>',
  place: SubmissionPlace,
  parameters: SqlParameters,
): string {
  if (key === 'sequence') return `s.sequence ${operator} ${parameters.add(place.sequence, 'bigint')}`;
  const columns = [...PLACE];
  const values = [place.position, place.sequence, ...place.tie].map((value) =>
    parameters.add(value, 'bigint'),
  );
  if (key === 'time') {
    columns.unshift('s.time_at');
    values.unshift(parameters.addTime(place.time));
  }
  return `(${columns.join(', ')}) ${operator} (${values.join(', ')})`;
}
