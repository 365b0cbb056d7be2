import { blocksKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import { isBetweenSpans, selectPage, type Spans } from '../graphql/spans.js';
import type { SqlParameters } from '../graphql/sql-text.js';
import { filterBlocks, filterRanges, INCLUDED, IS_PENDING } from './block-filter.js';
import { boundBlocks, boundSpans, findBlockSpans, type BlocksAsked } from './block-order.js';

interface LineAsked extends BlocksAsked {
  readonly limit: string;
}

const OF_LINE = ['b.node_key = line.node_key', 'b.lineage_key = line.lineage_key'];
/** What lies in a short time, by its index alone: sums keep those of a node's heights out, which would find all that it has. */
const OF_SHORT_LINE = ['b.node_key = line.node_key', 'b.lineage_key + 0 = line.lineage_key'];

/** SQL of the blocks of a `line` that lie in a short time, in no order. @param most blocks that lie in it */
export function selectShortTime(asked: LineAsked, most: number, parameters: SqlParameters): string {
  const conditions = [
    ...OF_SHORT_LINE,
    ...filterBlocks(asked.filter, parameters),
    ...boundBlocks(asked, parameters),
  ];
  const from = blocksKnownAt(asked.past.knownAt);
  return selectPage({ alias: 'b', from, conditions, orderBy: 'b.time_ns', limit: String(most) }, undefined);
}

/** SQL of the first blocks of a page that a `line` has. */
export function selectLine(asked: LineAsked, parameters: SqlParameters): string {
  const { included } = asked.filter;
  const { knownAt } = asked.past;
  const bounds = boundSpans(asked, parameters);
  const hasBounds = bounds.length > 0;
  const spansOf = (...further: readonly string[]): Spans =>
    findBlockSpans(asked, [...bounds, ...further], parameters);
  // The sum keeps the index of times out: it would find all blocks of the time for each span.
  const page = (conditions: readonly string[], spans?: Spans): string =>
    selectPart(asked, hasBounds ? 'b.time_ns + 0' : 'b.time_ns', { conditions, spans }, parameters);
  if (included === true) {
    const spans = spansOf(
      knownAt === undefined
        ? 'z.first_included_position IS NOT NULL'
        : `z.first_included_position <= ${parameters.add(knownAt, 'bigint')}`,
    );
    return hasBounds ? page([INCLUDED], spans) : page([INCLUDED, isBetweenSpans(spans, '0')]);
  }
  if (included !== false) return page([], hasBounds ? spansOf() : undefined);
  // Those that are not included to this day have an index of their own; they never were.
  const pending = page([
    knownAt === undefined ? IS_PENDING : 'b.is_pending',
    hasBounds ? isBetweenSpans(spansOf(), 'line.frontier + 1') : 'b.height > line.frontier',
  ]);
  if (knownAt === undefined) return pending;
  const later = spansOf(`z.last_included_position > ${parameters.add(knownAt, 'bigint')}`);
  return `(${pending}) UNION ALL (${page(['NOT b.is_pending', IS_PENDING], later)})`;
}

interface Part {
  readonly conditions: readonly string[];
  readonly spans: Spans | undefined;
}

function selectPart(
  asked: LineAsked,
  timeNs: string,
  { conditions, spans }: Part,
  parameters: SqlParameters,
): string {
  const { filter, past, request, ascends, limit } = asked;
  return selectPage(
    {
      alias: 'b',
      from: blocksKnownAt(past.knownAt),
      conditions: [
        ...OF_LINE,
        ...filterRanges(filter, parameters, timeNs),
        ...boundBlocks(asked, parameters),
        ...conditions,
      ],
      orderBy: `b.height ${ascends === request.backwards ? 'DESC' : 'ASC'}`,
      limit,
    },
    spans,
  );
}
