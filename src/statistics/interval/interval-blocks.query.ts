import {
  inclusionFigures,
  type InclusionFigures,
  type ProducedBlock,
} from '../../domain/interval/inclusion.js';
import { microsToNanos, nanosToMicros, type Micros, type Nanos } from '../../domain/time.js';
import { toSource, type Query } from '../../platform/sql.js';
import { blockKnownAt } from '../../projections/record/readers/known-at.js';
import {
  IncludedTimesReader,
  type IncludedBlock,
} from '../../projections/record/readers/included-times.reader.js';
import type { IntervalRequest } from './interval-request.js';
import { MOST_INTERVAL_ROWS, tooMany } from './interval-rows.query.js';

const PAGE_BLOCKS = 5_000;
const DAY_US: Micros = 86_400_000_000n;

interface BlockRow extends IncludedBlock {
  readonly timeNs: Nanos;
}

/**
 * How the recorded blocks of an interval were included; null where none is recorded. What a node's blocks show as included only
 * after the end of what is known is not included.
 * @throws ReadFault TOO_EXPENSIVE for too many blocks
 */
export async function getInclusion(
  query: Query,
  request: IntervalRequest,
): Promise<(InclusionFigures & { readonly blocksProduced: bigint }) | null> {
  const { fromUs, toUs, nowUs: endUs } = request;
  const blocks = await readBlocks(query, request, { fromUs, toUs });
  if (blocks.length === 0) return null;
  const before = await readBlocks(query, request, { fromUs: fromUs - DAY_US, toUs: fromUs });
  return {
    blocksProduced: BigInt(blocks.length),
    ...inclusionFigures(blocks, before, { fromUs, toUs: toUs < endUs ? toUs : endUs, endUs }),
  };
}

/** Of a chain each block once, included where any of its nodes shows it so. */
async function readBlocks(
  query: Query,
  { nodes, chain, nowUs, knownAt }: IntervalRequest,
  { fromUs, toUs }: Pick<IntervalRequest, 'fromUs' | 'toUs'>,
): Promise<ProducedBlock[]> {
  const times = new IncludedTimesReader(toSource(query));
  const { where, columns } = blockKnownAt(knownAt, 'b');
  const blocks: ProducedBlock[] = [];
  let after: readonly [number, bigint] = [-1, -1n];
  for (;;) {
    const rows = await query<BlockRow>(
      `SELECT b.lineage_key AS "lineageKey", b.height, min(b.time_ns) AS "timeNs", max(b.tx_count) AS "txCount",
              max(${columns.headerDaHeight}) AS "headerDaHeight", max(${columns.dataDaHeight}) AS "dataDaHeight"
         FROM block b WHERE b.node_key = ANY ($1::int[]) AND b.time_ns >= $2::bigint AND b.time_ns < $3::bigint AND ${where}
          AND (b.lineage_key, b.height) > ($4::int, $5::bigint)
          AND ($6::text IS NULL OR b.lineage_key IN (SELECT lineage_key FROM lineage WHERE chain_id = $6::text))
        GROUP BY b.lineage_key, b.height ORDER BY b.lineage_key, b.height LIMIT ${PAGE_BLOCKS}`,
      [nodes.map(({ key }) => key), microsToNanos(fromUs), microsToNanos(toUs), ...after, chain],
    );
    const included = await times.getIncludedTimes(rows, knownAt);
    for (const [index, row] of rows.entries()) blocks.push(toBlock(row, included[index], nowUs));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_BLOCKS) return blocks;
    if (blocks.length > MOST_INTERVAL_ROWS) throw tooMany('blocks');
    after = [last.lineageKey, last.height];
  }
}

function toBlock(row: BlockRow, shownUs: Micros | undefined, endUs: Micros): ProducedBlock {
  const isLater = shownUs !== undefined && shownUs >= endUs;
  const hasBoth = row.headerDaHeight !== null && (row.txCount === 0 || row.dataDaHeight !== null);
  return {
    timeUs: nanosToMicros(row.timeNs),
    transactions: row.txCount,
    isIncluded: hasBoth && !isLater,
    includedUs: isLater || !hasBoth ? null : (shownUs ?? null),
  };
}
