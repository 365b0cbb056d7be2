import { blocksKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import { selectPage, type SqlParameters } from '../graphql/sql-text.js';
import { filterBlocks } from './block-filter.js';
import { type BlocksQuestion, boundBlocks, boundSpans, findBlockSpans } from './block-order.js';

/** SQL of the first blocks of a page on one `line`. */
export function selectLine(
  question: BlocksQuestion & { readonly limit: string },
  parameters: SqlParameters,
): string {
  const { filter, past, request, ascends, limit } = question;
  const bounds = boundSpans(question, parameters);
  const hasSpans = bounds.length > 0;
  return selectPage(
    {
      alias: 'b',
      from: blocksKnownAt(past.knownAt),
      conditions: [
        'b.node_key = line.node_key',
        'b.lineage_key = line.lineage_key',
        // The sum rules out the index of times, which would find all blocks of the time for each span.
        ...filterBlocks(filter, parameters, hasSpans ? 'b.time_ns + 0' : 'b.time_ns'),
        ...(filter.included === false && past.knownAt === undefined ? ['b.height > line.frontier'] : []),
        ...boundBlocks(question, parameters),
      ],
      orderBy: `b.height ${ascends === request.backwards ? 'DESC' : 'ASC'}`,
      limit,
    },
    hasSpans ? findBlockSpans(question, bounds, parameters) : undefined,
  );
}
