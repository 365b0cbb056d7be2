import {
  boundPage,
  cursorsOf,
  type Key,
  numbersOf,
  orderOf,
  type PageOrder,
  type PageRequest,
  type Place,
  timeOfPlace,
  walkKey,
} from '../graphql/keyed-list.js';
import type { SqlParameters } from '../graphql/sql-text.js';
import { INT64_MAX } from '../graphql/scalars.js';
import { spanOf, type Spans } from '../graphql/spans.js';
import type { Past } from '../graphql/time-travel.js';
import { changeKey } from '../graphql/updated-rows.js';
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

/** Stands for the sequence of rows that no node showed, which are the last of their event, as nulls are. */
const NO_SEQUENCE = INT64_MAX;
/**
 * A row of a list is placed by its event and sequence. Several rows that no node showed can come from one event; they are
 * told apart by what names them. The kind of a row of a list may become known later, so it must not place it.
 */
const TIE = ['s.kind', 's.da_height', 's.lineage_key'].map(
  (column) => `CASE WHEN s.sequence IS NULL THEN coalesce(${column}, 0) ELSE 0 END`,
);
const SEQUENCE = {
  sql: `coalesce(s.sequence, ${NO_SEQUENCE})`,
  order: 's.sequence',
  type: 'bigint',
} as const;
/** What places a row among others: as they became known, the oldest first. */
export const SUBMISSION_KEY: Key = [...numbersOf('s.from_position'), SEQUENCE, ...numbersOf(...TIE)];
/** In the list of a node. */
const LIST_KEY: Key = numbersOf('s.sequence');
const TIME_KEY: Key = [{ sql: 's.time_at', type: 'timestamptz' }, ...SUBMISSION_KEY];
const CHANGE_KEY = changeKey('s', SUBMISSION_KEY);

/** Cursors of submissions, with a place in either order. */
export const SUBMISSION_CURSORS = cursorsOf<PlacedRow>('submissions', TIME_KEY, (row) => [
  timeOfPlace(row.timeAt),
  ...placeOf(row),
]);

/** Cursors of submissions in the order of their changes. */
export const CHANGED_SUBMISSION_CURSORS = cursorsOf<PlacedRow & Pick<SubmissionRow, 'change'>>(
  'submissions-changes',
  CHANGE_KEY,
  (row) => [row.change, ...placeOf(row)],
);

function placeOf({ fromPosition, sequence, kindCode, daHeight, lineageKey }: PlacedRow): (bigint | number)[] {
  const tie = sequence === null ? [kindCode, daHeight ?? 0, lineageKey ?? 0] : [0, 0, 0];
  return [fromPosition, sequence ?? NO_SEQUENCE, ...tie];
}

/** As {@link walkSubmissions}, in the order of changes. */
export function walkChangedSubmissions(request: PageRequest, parameters: SqlParameters): PageOrder {
  return walkKey(CHANGE_KEY, request, true, parameters);
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
  request: PageRequest,
  parameters: SqlParameters,
): PageOrder {
  const { nodes, isShortTime } = keys;
  const byTime = order === SubmissionOrder.OCCURRED_ASC || order === SubmissionOrder.OCCURRED_DESC;
  const ascends = order === SubmissionOrder.OBSERVED_ASC || order === SubmissionOrder.OCCURRED_ASC;
  // A place is one in the order of time: those of the others are parts of it.
  const [key, from] = byTime ? [TIME_KEY, 0] : nodes?.length === 1 ? [LIST_KEY, 2] : [SUBMISSION_KEY, 1];
  const part = (place: Place | undefined): Place | undefined => place?.slice(from, from + key.length);
  const cursors = { after: part(request.after), before: part(request.before) };
  const conditions = boundPage(key, cursors, ascends, parameters);
  const isElsewhere = isSorted || (isShortTime && !byTime);
  const direction = ascends === request.backwards ? 'DESC' : 'ASC';
  const orderBy = orderOf(isElsewhere ? outOfOrder(key) : key, direction);
  const list = listOf(nodes, most);
  if (byTime || isSorted || isShortTime || hasOtherIndex(filter, list !== 'ALL'))
    return { orderBy, conditions };
  const [low, high] = ascends ? [request.after, request.before] : [request.before, request.after];
  return { orderBy, conditions, spans: findSpans({ list, filter, past, low, high, direction }, parameters) };
}

/** The same order in a form that no index has, for rows that are found and then sorted. */
export function outOfOrder([first, ...rest]: Key): Key {
  if (first === undefined) return [];
  const { sql, type, order = sql } = first;
  return [{ sql, type, order: `${order} + ${type === 'timestamptz' ? "interval '0'" : '0'}` }, ...rest];
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
  readonly low: Place | undefined;
  readonly high: Place | undefined;
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
  const span = (place: Place | undefined) => place && spanOf(BigInt(place[isOfAll ? 1 : 2] ?? 0));
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
  low: Place | undefined,
  high: Place | undefined,
  parameters: SqlParameters,
): string[] {
  // Not those before the last one that begins lower: the rows of an event may lie in two.
  const [begins] = parameters.compare('y.first_position', '<', positionOf(low));
  return [
    ...(begins
      ? [
          `z.span >= coalesce((SELECT max(y.span) FROM submission_span y WHERE y.node_key = list.node_key AND ${begins}), 0)`,
        ]
      : []),
    ...parameters.compare('z.first_position', '<=', positionOf(high)),
  ];
}

function positionOf(place: Place | undefined): bigint | undefined {
  return place && BigInt(place[1] ?? 0);
}
