import { greatest, groupBy } from '../../../domain/collections.js';
import type { Query } from '../../../platform/sql.js';
import { isTimeSliceOver, nextTimeSlice } from '../../../platform/time-slices.js';
import type { BlockStatisticEntity } from '../../../tables/statistics.entities.js';
import { ReadFault } from '../plan/read-fault.js';
import type { ReportPlan } from '../plan/report-plan.js';
import { nameOfOwner, type FigureOwner } from '../plan/scope.query.js';
import { storedBlocksSoFar } from '../plan/stored-rows.js';

/** The heights that the newest history of a node or chain had reached. */
interface BlockMarks {
  readonly lineageKey: number;
  readonly n: number;
  /** The highest block of the history. */
  readonly head: bigint;
  /** The highest blocks whose header, and whose data, was posted. */
  readonly header: bigint | null;
  readonly data: bigint | null;
  /** Whether any block of the history has transactions. */
  readonly hasData: boolean;
}

/** A bucket of a node or chain at whose end a block was known. */
export interface KnownBucket {
  readonly owner: FigureOwner;
  readonly bucket: number;
  /** Whether the time of a block lies in the bucket. */
  readonly hasBlocks: boolean;
  readonly marks: BlockMarks;
}

/** Sums and maxima of a history in a bucket; bucket -1 holds everything before the report. */
export interface HistoryRow
  extends
    FigureOwner,
    Readonly<Pick<BlockStatisticEntity, 'lineageKey' | 'headerFrontier' | 'dataFrontier'>> {
  readonly n: number;
  readonly bucket: number;
  readonly head: bigint | null;
  /** Lowest block; null without blocks, and in rows that an older release stored. */
  readonly first: bigint | null;
  readonly produced: bigint;
  readonly hasData: boolean;
}

/** The stored sums of blocks up to the end of a report. */
export interface BlockWalk {
  readonly histories: readonly HistoryRow[];
  readonly places: readonly KnownBucket[];
}

/** Upper bound for buckets times nodes and chains in a report on blocks: one process walks through them. */
const MOST_PLACES = 400_000;

/**
 * The buckets of each node and chain, from the first bucket at whose end a block is known.
 * @throws ReadFault TOO_EXPENSIVE for too many buckets of nodes and chains
 */
export async function walkBlocks(query: Query, plan: ReportPlan): Promise<BlockWalk> {
  const { starts, scope } = plan;
  if (starts.length * scope.owners.length > MOST_PLACES) {
    throw new ReadFault(
      'TOO_EXPENSIVE',
      `Figures of blocks are limited to ${MOST_PLACES} buckets of nodes and chains. Request a shorter time, longer buckets, fewer nodes or chains, or no figures of blocks and pending blocks.`,
    );
  }
  const places: KnownBucket[] = [];
  const stored = await getHistories(query, plan);
  for (const rows of groupBy(stored, nameOfOwner).values()) {
    const byBucket = groupBy(rows, ({ bucket }) => bucket);
    const histories = new Map<number, HistoryRow>();
    let marks: BlockMarks | undefined;
    for (let bucket = -1; bucket < starts.length; bucket++) {
      if (isTimeSliceOver()) await nextTimeSlice();
      const found = byBucket.get(bucket) ?? [];
      for (const row of found) histories.set(row.lineageKey, raise(histories.get(row.lineageKey), row));
      if (found.length > 0) marks = newestOf(histories.values());
      const [owner] = rows;
      if (bucket < 0 || marks === undefined || owner === undefined) continue;
      places.push({ owner, bucket, hasBlocks: found.some(({ head }) => head !== null), marks });
    }
  }
  return { histories: stored, places };
}

function getHistories(query: Query, plan: ReportPlan): Promise<HistoryRow[]> {
  const stored = storedBlocksSoFar(plan);
  return query<HistoryRow>(
    // Looks up `n` for each group, because the planner would otherwise join the lineages to every row.
    `SELECT s.node_key AS "nodeKey", s.chain, s.lineage_key AS "lineageKey", ${stored.bucket} AS bucket,
            coalesce((SELECT l.n FROM lineage l WHERE l.lineage_key = s.lineage_key), 0) AS n,
            max(s.last_height) AS head, min(s.first_height) AS first, sum(s.produced)::bigint AS produced, max(s.header_frontier) AS "headerFrontier",
            max(s.data_frontier) AS "dataFrontier", sum(s.transactions) > 0 AS "hasData"
       ${stored.from}
      GROUP BY s.node_key, s.chain, s.lineage_key, bucket ORDER BY s.node_key, s.chain, bucket`,
    stored.parameters,
  );
}

function raise(known: HistoryRow | undefined, row: HistoryRow): HistoryRow {
  if (known === undefined) return row;
  return {
    ...row,
    head: highest(known.head, row.head),
    headerFrontier: highest(known.headerFrontier, row.headerFrontier),
    dataFrontier: highest(known.dataFrontier, row.dataFrontier),
    hasData: known.hasData || row.hasData,
  };
}

function highest(known: bigint | null, found: bigint | null): bigint | null {
  return known === null ? found : greatest(known, found);
}

function newestOf(histories: Iterable<HistoryRow>): BlockMarks | undefined {
  let newest: BlockMarks | undefined;
  for (const { lineageKey, n, head, headerFrontier: header, dataFrontier: data, hasData } of histories) {
    if (head === null || (newest !== undefined && n <= newest.n)) continue;
    newest = { lineageKey, n, head, header, data, hasData };
  }
  return newest;
}
