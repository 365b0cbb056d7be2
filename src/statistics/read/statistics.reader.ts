import { Inject, Injectable } from '@nestjs/common';
import type { Sketch } from '../../domain/statistics/sketch.js';
import { LazyRows } from '../../platform/lazy-rows.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Query, StatementSource } from '../../platform/sql.js';
import {
  getBlockFigures,
  getEndFigures,
  type BlockFigures,
  type EndFigures,
} from './blocks/block-figures.query.js';
import { getDistributions, type DistributionColumn } from './distributions.query.js';
import { getGasPrices, type GasPrices } from './gas-prices.query.js';
import { inSnapshot } from './plan/in-snapshot.js';
import { frameReport, toIntegers, type FramedRow } from './plan/report-frame.js';
import { getLossFigures, type LossFigures } from './watch/report-losses.js';
import { planReport, type ReportPlan } from './plan/report-plan.js';
import type { GroupKey, ReportRequest } from './plan/report-request.js';
import { getSubmissionSums, sumOf, type SumColumns, type SumRow } from './plan/sums.query.js';

/** What is read only where somebody wants it; the rest of a row is always there. */
export interface StatisticsNeeds {
  readonly distributions?: readonly DistributionColumn[];
  readonly gasPrices?: boolean;
  readonly blocks?: boolean;
  readonly ends?: boolean;
  readonly losses?: boolean;
}

/** A distribution, merged from sketches: percentiles are off by 0.9 % at most, the greatest value and the count exact. */
export interface Distribution {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  readonly count: bigint;
}

/** What is always in a row of statistics. Null: not known. */
interface SubmissionFigures {
  readonly attempts: bigint;
  readonly successes: bigint;
  readonly failures: bigint;
  readonly successRate: number | null;
  readonly reconstructed: bigint;
  readonly landed: bigint;
  readonly unreferenced: bigint;
  readonly unreadable: bigint;
  readonly blobCount: bigint;
  readonly sizeBytes: bigint;
  readonly averageBlobBytes: number | null;
  readonly sharesMin: bigint | null;
  readonly sharesMax: bigint | null;
  readonly reconstructedShares: bigint;
}

/** Distributions of a row; null without values, and where they were not asked for. */
interface DistributionFigures {
  readonly inclusionLagMs: Distribution | null;
  readonly submissionTimeMs: Distribution | null;
  readonly blobBytesDistribution: Distribution | null;
}

/** A row of statistics. Parts that were not asked for are missing. */
export interface StatisticsFigures
  extends
    GroupKey,
    SubmissionFigures,
    DistributionFigures,
    Partial<GasPrices>,
    Partial<BlockFigures>,
    Partial<EndFigures>,
    Partial<LossFigures> {
  /** Start of the bucket, Unix microseconds. */
  readonly timeUs: bigint;
  /** 0 to 1. */
  readonly coverage: number;
}

const COLUMNS = {
  attempts: sumOf('attempts'),
  successes: `${sumOf('attempts')} FILTER (WHERE s.status = 0)`,
  reconstructed: sumOf('reconstructed'),
  landed: sumOf('landed'),
  unreferenced: sumOf('unreferenced'),
  unreadable: sumOf('unreadable'),
  blobCount: sumOf('blob_count'),
  sizeBytes: sumOf('size_bytes'),
  measuredBlobs: sumOf('measured_blobs'),
  measuredBytes: sumOf('measured_bytes'),
  sharesMin: sumOf('shares_min'),
  sharesMax: sumOf('shares_max'),
  reconstructedShares: sumOf('reconstructed_shares'),
  costed: sumOf('costed'),
  gasUnknown: sumOf('gas_unknown'),
} as const satisfies SumColumns<string>;

type Found = SumRow<keyof typeof COLUMNS>;

/** Reads how submissions, blocks and nodes fared over time, from the stored buckets. */
@Injectable()
export class StatisticsReader {
  constructor(@Inject(ReadDatabase) private readonly dataSource: StatementSource) {}

  /**
   * Rows by time, then by group.
   * @throws ReadFault for a question that cannot be answered as it is asked
   */
  getStatistics(request: ReportRequest, needs: StatisticsNeeds = {}): Promise<LazyRows<StatisticsFigures>> {
    return inSnapshot(this.dataSource, (query) => readStatistics(query, request, needs));
  }
}

/** As {@link StatisticsReader.getStatistics}, within a snapshot that others read from, too. */
export async function readStatistics(
  query: Query,
  request: ReportRequest,
  needs: StatisticsNeeds = {},
): Promise<LazyRows<StatisticsFigures>> {
  const plan = await planReport(query, request);
  return plan ? readRows(query, plan, needs) : LazyRows.none();
}

async function readRows(
  query: Query,
  plan: ReportPlan,
  needs: StatisticsNeeds,
): Promise<LazyRows<StatisticsFigures>> {
  // First what may be refused.
  const blocks = needs.blocks ? await getBlockFigures(query, plan) : undefined;
  const ends = needs.ends ? await getEndFigures(query, plan) : undefined;
  const rows = await frameReport(query, plan, () => getSubmissionSums(query, plan, COLUMNS));
  const distributions = await getDistributionFigures(query, plan, needs.distributions ?? []);
  const gasPrices = needs.gasPrices ? await getGasPrices(query, plan) : undefined;
  const losses = needs.losses ? await getLossFigures(query, plan) : undefined;
  return LazyRows.from(rows, (row) =>
    // Spread into a literal, that many properties take seven times as long.
    Object.assign(
      { timeUs: row.timeUs, coverage: row.coverage, ...row.group },
      toSubmissionFigures(row),
      distributions(row.slot.name),
      Object.assign(
        {},
        gasPrices?.(row.slot),
        blocks?.(row),
        Object.assign({}, ends?.(row), losses?.(row.slot)),
      ),
    ),
  );
}

const NO_SUMS = Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, 0n])) as Record<
  keyof typeof COLUMNS,
  bigint
>;

function toSubmissionFigures({ found }: FramedRow<Found>): SubmissionFigures {
  const sums = found ? toIntegers(found) : NO_SUMS;
  const { attempts, successes, measuredBlobs, measuredBytes, costed, gasUnknown } = sums;
  return {
    attempts,
    successes,
    failures: attempts - successes,
    successRate: attempts === 0n ? null : Number(successes) / Number(attempts),
    reconstructed: sums.reconstructed,
    landed: sums.landed,
    unreferenced: sums.unreferenced,
    unreadable: sums.unreadable,
    blobCount: sums.blobCount,
    sizeBytes: sums.sizeBytes,
    averageBlobBytes: measuredBlobs === 0n ? null : Number(measuredBytes) / Number(measuredBlobs),
    sharesMin: costed === gasUnknown ? null : sums.sharesMin,
    sharesMax: costed === 0n || gasUnknown > 0n ? null : sums.sharesMax,
    reconstructedShares: sums.reconstructedShares,
  };
}

async function getDistributionFigures(
  query: Query,
  plan: ReportPlan,
  wanted: readonly DistributionColumn[],
): Promise<(slot: string) => DistributionFigures> {
  const merged = new Map<DistributionColumn, ReadonlyMap<string, Sketch>>();
  for (const column of wanted) merged.set(column, await getDistributions(query, plan, column));
  return (slot) => ({
    inclusionLagMs: toDistribution(merged.get('lag_ms')?.get(slot)),
    submissionTimeMs: toDistribution(merged.get('submission_ms')?.get(slot)),
    blobBytesDistribution: toDistribution(merged.get('blob_bytes')?.get(slot)),
  });
}

function toDistribution(sketch: Sketch | undefined): Distribution | null {
  if (sketch === undefined || sketch.max === null) return null;
  const at = (share: number): number => sketch.percentile(share) ?? 0;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: sketch.max, count: BigInt(sketch.count) };
}
