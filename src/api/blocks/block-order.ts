import type { PageRequest } from '../graphql/connection.js';
import { INT64_MAX } from '../graphql/scalars.js';
import { spanOf, type Spans } from '../graphql/spans.js';
import type { SqlParameters } from '../graphql/sql-text.js';
import type { Past } from '../graphql/time-travel.js';
import type { BlockFilter } from './block.type.js';

/** A place in the list of blocks: height, then node, then lineage. */
export type BlockPlace = readonly bigint[];

const PLACE = '(b.height, b.node_key, b.lineage_key)';

/** Times after 2262 don't fit the column; no block is that late. */
export function clampToInt64(value: bigint | null | undefined): bigint | null | undefined {
  if (typeof value !== 'bigint' || value === BigInt.asIntN(64, value)) return value;
  return value > 0n ? INT64_MAX : -INT64_MAX;
}

/** What a page of blocks is asked for. */
export interface BlocksAsked {
  readonly filter: BlockFilter;
  readonly past: Past;
  readonly request: PageRequest<BlockPlace>;
  readonly ascends: boolean;
}

/** Conditions on the spans that can hold blocks of a past; none where they rule nothing out. */
export function boundSpans(
  { filter, past: { knownAt } }: BlocksAsked,
  parameters: SqlParameters,
): readonly string[] {
  return [
    ...parameters.compare('z.last_time_ns', '>=', clampToInt64(filter.from)),
    ...parameters.compare('z.first_time_ns', '<', clampToInt64(filter.to)),
    ...parameters.compare('z.first_position', '<=', knownAt),
  ];
}

/** The spans of a line in which a page lies, in its order. @param bounds conditions on them */
export function findBlockSpans(
  { filter: { heightFrom, heightTo }, request: { after, before, backwards }, ascends }: BlocksAsked,
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
      ...spans('>=', [heightFrom, low?.[0]]),
      ...spans('<=', [heightTo, high?.[0]]),
    ],
    place: 'b.height',
    direction: ascends === backwards ? 'DESC' : 'ASC',
  };
}

/** Conditions that the cursors of a page make. */
export function boundBlocks({ request, ascends }: BlocksAsked, parameters: SqlParameters): string[] {
  const bound = (place: BlockPlace | undefined, operator: '>' | '<'): string[] => {
    if (place === undefined) return [];
    const values = place.map((value) => parameters.add(value, 'bigint'));
    // Said twice: the first is what the index can use.
    return [`b.height ${operator}= ${values[0]}`, `${PLACE} ${operator} (${values.join(', ')})`];
  };
  return [...bound(request.after, ascends ? '>' : '<'), ...bound(request.before, ascends ? '<' : '>')];
}
