import {
  cursorsOf,
  type Key,
  numbersOf,
  type PageOrder,
  type PageRequest,
  type CursorKey,
  timeOfKey,
  keysetOrder,
} from '../graphql/keyed-list.js';
import { INT64_MAX } from '../graphql/scalars.js';
import { spanOf, type Spans, type SqlParameters } from '../graphql/sql-text.js';
import { type Past, PRESENT } from '../graphql/time-travel.js';
import { changeKey } from '../graphql/updated-rows.js';
import type { SubmissionValues } from './submission-fields.js';
import { type FilterKeys, type SubmissionFilter, SubmissionOrder } from './submission-filter.js';

/** Columns from which a cursor in either order is made. */
export type OrderedRow = Pick<
  SubmissionValues,
  'sequence' | 'lineageKey' | 'kindCode' | 'daHeight' | 'fromPosition' | 'timeAt'
>;

/** Replaces the sequence of rows that no list showed. They come last in their event, as nulls do. */
const NO_SEQUENCE = INT64_MAX;
/**
 * A row of a list is ordered by its event and sequence. Several rows that no list showed can come from one event; their kind, DA
 * height and lineage order them. The kind of a row of a list may become known later, so it must not affect its order.
 */
const TIE = ['s.kind', 's.da_height', 's.lineage_key'].map(
  (column) => `CASE WHEN s.sequence IS NULL THEN coalesce(${column}, 0) ELSE 0 END`,
);
const SEQUENCE = {
  sql: `coalesce(s.sequence, ${NO_SEQUENCE})`,
  order: 's.sequence',
  type: 'bigint',
} as const;
/** Sort key: as rows became known, oldest first. */
export const SUBMISSION_KEY: Key = [...numbersOf('s.from_position'), SEQUENCE, ...numbersOf(...TIE)];
const LIST_KEY: Key = numbersOf('s.sequence');
const TIME_KEY: Key = [{ sql: 's.time_at', type: 'timestamptz' }, ...SUBMISSION_KEY];
const CHANGE_KEY = changeKey('s', SUBMISSION_KEY);

/** Cursors of submissions, valid in either order. */
export const SUBMISSION_CURSORS = cursorsOf<OrderedRow>('submissions', TIME_KEY, (row) => [
  timeOfKey(row.timeAt),
  ...placeOf(row),
]);

export const CHANGED_SUBMISSION_CURSORS = cursorsOf<OrderedRow & Pick<SubmissionValues, 'change'>>(
  'submissions-changes',
  CHANGE_KEY,
  (row) => [row.change, ...placeOf(row)],
);

function placeOf({
  fromPosition,
  sequence,
  kindCode,
  daHeight,
  lineageKey,
}: OrderedRow): (bigint | number)[] {
  const tie = sequence === null ? [kindCode, daHeight ?? 0, lineageKey ?? 0] : [0, 0, 0];
  return [fromPosition, sequence ?? NO_SEQUENCE, ...tie];
}

/** As {@link submissionsInOrder}, in the order of changes. */
export function submissionsByChange(request: PageRequest, parameters: SqlParameters): PageOrder {
  return keysetOrder(CHANGE_KEY, request, true, parameters);
}

interface SubmissionsQuestion {
  readonly order: SubmissionOrder;
  readonly filter: SubmissionFilter;
  readonly past: Past;
  readonly keys: FilterKeys;
}

/**
 * Rows of a single node are read by their sequence, which has an index and gives the same order as the whole list. Bounds of
 * times or DA heights limit the spans to read. The order of time has an index.
 */
export function submissionsInOrder(
  { order, filter, past, keys }: SubmissionsQuestion,
  request: PageRequest,
  parameters: SqlParameters,
): PageOrder {
  const byTime = order === SubmissionOrder.OCCURRED_ASC || order === SubmissionOrder.OCCURRED_DESC;
  const ascends = order === SubmissionOrder.OBSERVED_ASC || order === SubmissionOrder.OCCURRED_ASC;
  const node = keys.nodes?.length === 1 ? keys.nodes[0] : undefined;
  // A place is one in the order of time: those of the others are parts of it.
  const [key, from] = byTime ? [TIME_KEY, 0] : node === undefined ? [SUBMISSION_KEY, 1] : [LIST_KEY, 2];
  const part = (place: CursorKey | undefined): CursorKey | undefined => place?.slice(from, from + key.length);
  const keyset = keysetOrder(
    key,
    { ...request, after: part(request.after), before: part(request.before) },
    ascends,
    parameters,
  );
  if (byTime) return keyset;
  const [low, high] = ascends ? [request.after, request.before] : [request.before, request.after];
  const direction = ascends === request.backwards ? 'DESC' : 'ASC';
  return { ...keyset, getSpans: () => findSpans({ node, filter, past, low, high, direction }, parameters) };
}

interface SpanSearch extends Pick<Spans, 'direction'> {
  readonly filter: SubmissionFilter;
  readonly past?: Past;
  /** Node of the list; left out for the list of all nodes. */
  readonly node?: number | undefined;
  /** The cursors between which the page lies. */
  readonly low?: CursorKey | undefined;
  readonly high?: CursorKey | undefined;
}

/** Spans of a list, if they exclude rows. In the list of all nodes, positions already exclude what was not known yet. */
export function findSpans(
  { node, filter, past = PRESENT, low, high, direction }: SpanSearch,
  parameters: SqlParameters,
): Spans | undefined {
  const bounds = [
    ...parameters.compareTime('z.last_time', '>=', filter.from),
    ...parameters.compareTime('z.first_time', '<', filter.to),
    ...(node === undefined ? [] : parameters.compare('z.first_position', '<=', past.knownAt)),
    // Not in a past: the DA height of a row may have been another one then.
    ...(past.knownAt === undefined ? boundByHeight(filter, parameters) : []),
  ];
  if (bounds.length === 0) return undefined;
  const span = (place: CursorKey | undefined) =>
    place && spanOf(BigInt(place[node === undefined ? 1 : 2] ?? 0));
  return {
    table: 'submission_span',
    place: node === undefined ? 's.from_position' : 's.sequence',
    direction,
    conditions: [
      `z.node_key = ${parameters.add(node ?? 0, 'int')}`,
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
