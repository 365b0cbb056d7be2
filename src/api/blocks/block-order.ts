import { boundPage, numbersOf, type PageRequest, type CursorKey } from '../graphql/keyed-list.js';
import { INT64_MAX } from '../graphql/scalars.js';
import { spanOf, type Spans, type SqlParameters } from '../graphql/sql-text.js';
import type { Past } from '../graphql/time-travel.js';
import type { BlockFilter } from './block.type.js';

/** Sort key of the list. */
export const BLOCK_KEY = numbersOf('b.height', 'b.node_key', 'b.lineage_key');
/** Key that identifies a block, in the column order of the primary key. */
export const BLOCK_ID_KEY = numbersOf('b.node_key', 'b.lineage_key', 'b.height');

/** Clamps times after 2262, which don't fit the column; no block is that late. */
export function clampToInt64(value: bigint | null | undefined): bigint | null | undefined {
  if (typeof value !== 'bigint' || value === BigInt.asIntN(64, value)) return value;
  return value > 0n ? INT64_MAX : -INT64_MAX;
}

export interface BlocksQuestion {
  readonly filter: BlockFilter;
  readonly past: Past;
  readonly request: PageRequest;
  readonly ascends: boolean;
}

/** Conditions on the spans that can hold blocks of a past; empty if they would exclude nothing. */
export function boundSpans(
  { filter, past: { knownAt } }: BlocksQuestion,
  parameters: SqlParameters,
): readonly string[] {
  return [
    ...parameters.compare('z.last_time_ns', '>=', clampToInt64(filter.from)),
    ...parameters.compare('z.first_time_ns', '<', clampToInt64(filter.to)),
    ...parameters.compare('z.first_position', '<=', knownAt),
    ...(filter.included !== true
      ? []
      : knownAt === undefined
        ? ['z.first_included_position IS NOT NULL']
        : parameters.compare('z.first_included_position', '<=', knownAt)),
  ];
}

/** The spans of a line that a page lies in, in the order of the page. @param bounds conditions on the spans */
export function findBlockSpans(
  { filter: { heightFrom, heightTo }, request: { after, before, backwards }, ascends }: BlocksQuestion,
  bounds: readonly string[],
  parameters: SqlParameters,
): Spans {
  const [low, high] = ascends ? [after, before] : [before, after];
  const spans = (operator: '>=' | '<=', heights: readonly (bigint | null | undefined)[]) =>
    heights.flatMap((height) =>
      typeof height === 'bigint' ? parameters.compare('z.span', operator, spanOf(height)) : [],
    );
  return {
    table: 'block_span',
    conditions: [
      'z.node_key = line.node_key',
      'z.lineage_key = line.lineage_key',
      ...bounds,
      ...spans('>=', [heightFrom, heightOf(low)]),
      ...spans('<=', [heightTo, heightOf(high)]),
    ],
    place: 'b.height',
    direction: ascends === backwards ? 'DESC' : 'ASC',
  };
}

/** Conditions from the cursors of a page. */
export function boundBlocks({ request, ascends }: BlocksQuestion, parameters: SqlParameters): string[] {
  const { after, before } = request;
  const [low, high] = ascends ? [after, before] : [before, after];
  return [
    // Repeats the heights on their own, because only this form can use the index of a node's heights.
    ...parameters.compare('b.height', '>=', heightOf(low)),
    ...parameters.compare('b.height', '<=', heightOf(high)),
    ...boundPage(BLOCK_KEY, request, ascends, parameters),
  ];
}

function heightOf(place: CursorKey | undefined): bigint | undefined {
  return place && BigInt(place[0] ?? 0);
}
