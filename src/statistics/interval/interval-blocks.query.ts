import {
  inclusionFigures,
  type InclusionFigures,
  type ProducedBlock,
} from '../../domain/interval/inclusion.js';
import { waitFigures, type WaitFigures } from '../../domain/interval/waits.js';
import { DAY_US, microsToNanos, nanosToMicros, type Micros, type Nanos } from '../../domain/time.js';
import { toSource, type Query } from '../../platform/sql.js';
import { blocksKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import {
  CarriedBlocksReader,
  type IncludedBlock,
} from '../../projections/record/readers/carried-blocks.reader.js';
import type { IntervalRequest } from './interval-request.js';
import { MOST_INTERVAL_ROWS, tooMany } from './interval-rows.query.js';
import { getShownTimes, SHOWN_COLUMNS, type ShownBlockRow, type ShownTime } from './shown-times.query.js';

const PAGE_BLOCKS = 5_000;

interface IncludedBlockRow extends IncludedBlock, ShownBlockRow {
  readonly timeNs: Nanos;
}

/** The same blocks twice: with the time when they were posted, and with the time when they were first shown as included. */
interface ReadBlocks {
  readonly posted: ProducedBlock[];
  readonly shown: ProducedBlock[];
}

/** How the recorded blocks of an interval were posted, and how long blocks waited until they were shown as included. */
export interface InclusionTimes {
  /** Null where no block of the interval is recorded. */
  readonly inclusion: (InclusionFigures & { readonly blocksProduced: bigint }) | null;
  /** Null where no block of the interval, nor of the 24 hours before it, is recorded. */
  readonly waits: WaitFigures | null;
}

/**
 * Reads the figures of recorded blocks. A block counts as included only if a node had shown its inclusion by the end of what is
 * known.
 * @throws ReadFault TOO_EXPENSIVE for too many blocks
 */
export async function getBlockFigures(query: Query, request: IntervalRequest): Promise<InclusionTimes> {
  const { fromUs, toUs, nowUs: endUs } = request;
  const blocks = await readBlocks(query, request, { fromUs, toUs });
  const before = await readBlocks(query, request, { fromUs: fromUs - DAY_US, toUs: fromUs });
  const time = { fromUs, toUs: toUs < endUs ? toUs : endUs, endUs };
  const produced = blocks.posted.length;
  const isKnown = produced + before.posted.length > 0;
  return {
    inclusion:
      produced === 0
        ? null
        : { blocksProduced: BigInt(produced), ...inclusionFigures(blocks.posted, before.posted, time) },
    waits: isKnown ? waitFigures(blocks.shown, before.shown, time) : null,
  };
}

/** Reads each block of a chain once, as included if any of the chain's nodes shows it as included. */
async function readBlocks(
  query: Query,
  request: IntervalRequest,
  { fromUs, toUs }: Pick<IntervalRequest, 'fromUs' | 'toUs'>,
): Promise<ReadBlocks> {
  const carried = new CarriedBlocksReader(toSource(query));
  const { nodes, chain, nowUs, knownAt } = request;
  const blocks: ReadBlocks = { posted: [], shown: [] };
  let after: readonly [number, bigint] = [-1, -1n];
  for (;;) {
    const rows = await query<IncludedBlockRow>(
      `SELECT b.lineage_key AS "lineageKey", b.height, min(b.time_ns) AS "timeNs", max(b.tx_count) AS "txCount",
              max(b.header_da_height) AS "headerDaHeight", max(b.data_da_height) AS "dataDaHeight", ${SHOWN_COLUMNS}
         FROM ${blocksKnownAt(knownAt)}
        WHERE b.node_key = ANY ($1::int[]) AND b.time_ns >= $2::bigint AND b.time_ns < $3::bigint
          AND (b.lineage_key, b.height) > ($4::int, $5::bigint)
          AND ($6::text IS NULL OR b.lineage_key IN (SELECT lineage_key FROM lineage WHERE chain_id = $6::text))
        GROUP BY b.lineage_key, b.height ORDER BY b.lineage_key, b.height LIMIT ${PAGE_BLOCKS}`,
      [nodes.map(({ key }) => key), microsToNanos(fromUs), microsToNanos(toUs), ...after, chain],
    );
    const included = await carried.getIncludedTimes(rows, knownAt);
    const shownAt = await getShownTimes(query, request, rows);
    for (const [index, row] of rows.entries()) {
      const shownBlock = toShown(row, shownAt[index], nowUs);
      blocks.shown.push(shownBlock);
      blocks.posted.push(toPosted(shownBlock, included[index]));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_BLOCKS) return blocks;
    if (blocks.posted.length > MOST_INTERVAL_ROWS) throw tooMany('blocks');
    after = [last.lineageKey, last.height];
  }
}

/**
 * The success that carried a block is known only once a node shows the block as included. A block that was not seen being
 * posted is included, too.
 */
function toPosted(shown: ProducedBlock, postedUs: Micros | undefined): ProducedBlock {
  return { ...shown, includedUs: shown.isIncluded ? (postedUs ?? null) : null };
}

function toShown(row: IncludedBlockRow, shown: ShownTime | undefined, endUs: Micros): ProducedBlock {
  const isIncluded = shown !== undefined && shown.seenUs < endUs;
  return {
    timeUs: nanosToMicros(row.timeNs),
    transactions: row.txCount,
    isIncluded,
    includedUs: isIncluded ? shown.atUs : null,
    waitedToUs: isIncluded ? shown.waitedToUs : null,
  };
}
