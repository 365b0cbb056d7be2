import { type Micros, microsToNanos } from '../../domain/time.js';
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
import type { SubmissionRow } from './submission-fields.js';

/** What a row must show so that its place in either order is known. */
export type PlacedRow = Pick<
  SubmissionRow,
  'sequence' | 'lineageKey' | 'kindCode' | 'daHeight' | 'fromPosition' | 'timeAt'
>;

/** A place in the list of submissions, in both of its orders. */
export interface SubmissionPlace {
  readonly time: Micros;
  readonly position: bigint;
  readonly sequence: bigint;
  readonly tie: readonly bigint[];
}

/** Stands for the sequence of rows that no node showed, which are the last of their event, as nulls are. */
const NO_SEQUENCE = INT64_MAX;
/**
 * A row of a list is placed by its event and sequence. Several rows that no node showed can come from one event; they are
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
function placeOf({ fromPosition, sequence, kindCode, daHeight, lineageKey }: PlacedRow): (bigint | number)[] {
  const tie = sequence === null ? [kindCode, daHeight ?? 0, lineageKey ?? 0] : [0, 0, 0];
  return [fromPosition, sequence ?? NO_SEQUENCE, ...tie];
}

/** Cursors of submissions in the order of their changes. */
export const CHANGED_SUBMISSION_CURSOR = changeCursor<PlacedRow & Pick<SubmissionRow, 'change'>>(
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
  /** Rows that are read in this order at most. */
  readonly most: number;
}

/**
 * With one node its rows are walked by their sequence, which gives the same order as the whole list and has an index
 * of its own. Rows of a short time, or of few DA heights, or with a message that few have, are found by these and sorted: the sum keeps the list's index out
 * of it.
 */
export function walkSubmissions(
  { order, filter, past, keys, isSorted = keys.isShortOfHeights, most }: SubmissionWalk,
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
  const list = listOf(nodes, most);
  if (byTime || isSorted || isShortTime || hasOtherIndex(filter, list !== 'ALL'))
    return { orderBy, conditions };
  const [low, high] = ascends ? [request.after, request.before] : [request.before, request.after];
  return { orderBy, conditions, spans: findSpans({ list, filter, past, low, high, direction }, parameters) };
}

/** Rows of several nodes' lists that are merged at most: in the list of all it may be far to theirs. */
export const MERGED_ROWS = 50_000;

/** The list of all; of a node; of each of these nodes. @param most rows of each that are read */
function listOf(nodes: FilterKeys['nodes'], most: number): SpanSearch['list'] {
  if (!nodes || (nodes.length > 1 && nodes.length * most > MERGED_ROWS)) return 'ALL';
  return nodes.length === 1 ? (nodes[0] ?? 'ALL') : nodes;
}

interface SpanSearch extends Pick<Spans, 'direction'>, Pick<SubmissionWalk, 'filter' | 'past'> {
  readonly list: 'ALL' | number | readonly number[];
  /** Between which places of it the page lies. */
  readonly low: SubmissionPlace | undefined;
  readonly high: SubmissionPlace | undefined;
}

/** Spans of a list, where they rule rows out; in the list of all, positions do so of what was not known yet. */
function findSpans(
  { list, filter, past, low, high, direction }: SpanSearch,
  parameters: SqlParameters,
): Spans | undefined {
  const isOfAll = list === 'ALL';
  const bounds = [
    ...parameters.compareTime('z.last_time', '>=', filter.from),
    ...parameters.compareTime('z.first_time', '<', filter.to),
    ...(isOfAll ? [] : parameters.compare('z.first_position', '<=', past.knownAt)),
    // Of a DA height that was another one then they tell nothing.
    ...(past.knownAt === undefined ? boundByHeight(filter, parameters) : []),
  ];
  if (bounds.length === 0) return undefined;
  const found = {
    table: 'submission_span',
    place: isOfAll ? 's.from_position' : 's.sequence',
    direction,
  } as const;
  if (typeof list === 'object') {
    const lists = {
      from: `unnest(${parameters.add(list, 'int[]')}) list (node_key)`,
      row: 's.node_key = list.node_key',
      orderBy: `s.sequence ${direction}`,
    };
    const conditions = ['z.node_key = list.node_key', ...bounds, ...boundByPosition(low, high, parameters)];
    return { ...found, lists, conditions };
  }
  const span = (place: SubmissionPlace | undefined) =>
    place && spanOf(isOfAll ? place.position : place.sequence);
  return {
    ...found,
    conditions: [
      `z.node_key = ${parameters.add(isOfAll ? 0 : list, 'int')}`,
      ...bounds,
      ...parameters.compare('z.span', '>=', span(low)),
      ...parameters.compare('z.span', '<=', span(high)),
    ],
  };
}

function boundByHeight({ daHeightFrom, daHeightTo }: SubmissionFilter, parameters: SqlParameters): string[] {
  return [
    ...parameters.compare('z.last_da_height', '>=', daHeightFrom),
    ...parameters.compare('z.first_da_height', '<=', daHeightTo),
  ];
}

/** Which spans of any node's list can hold rows between two places: positions rise with sequences. */
function boundByPosition(
  low: SubmissionPlace | undefined,
  high: SubmissionPlace | undefined,
  parameters: SqlParameters,
): string[] {
  // Not those before the last one that begins lower: the rows of an event may lie in two.
  const [begins] = parameters.compare('y.first_position', '<', low?.position);
  return [
    ...(begins
      ? [
          `z.span >= coalesce((SELECT max(y.span) FROM submission_span y WHERE y.node_key = list.node_key AND ${begins}), 0)`,
        ]
      : []),
    ...parameters.compare('z.first_position', '<=', high?.position),
  ];
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
