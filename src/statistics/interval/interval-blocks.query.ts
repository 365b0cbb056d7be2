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

async function readBlocks(
  query: Query,
  { nodeKey, nowUs, knownAt }: IntervalRequest,
  { fromUs, toUs }: Pick<IntervalRequest, 'fromUs' | 'toUs'>,
): Promise<ProducedBlock[]> {
  const times = new IncludedTimesReader(toSource(query));
  const { where, columns } = blockKnownAt(knownAt, 'b');
  const blocks: ProducedBlock[] = [];
  let after: readonly [number, bigint] = [-1, -1n];
  for (;;) {
    const rows = await query<BlockRow>(
      `SELECT b.lineage_key AS "lineageKey", b.height, b.time_ns AS "timeNs", b.tx_count AS "txCount",
              ${columns.headerDaHeight} AS "headerDaHeight", ${columns.dataDaHeight} AS "dataDaHeight"
         FROM block b WHERE b.node_key = $1::int AND b.time_ns >= $2::bigint AND b.time_ns < $3::bigint AND ${where}
          AND (b.lineage_key, b.height) > ($4::int, $5::bigint)
        ORDER BY b.lineage_key, b.height LIMIT ${PAGE_BLOCKS}`,
      [nodeKey, microsToNanos(fromUs), microsToNanos(toUs), ...after],
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
