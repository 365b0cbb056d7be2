import { Inject, Injectable } from '@nestjs/common';
import type { Sketch } from '../../domain/statistics/sketch.js';
import type { Micros } from '../../domain/time.js';
import { LazyRows } from '../../platform/time-slices.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Query, Database } from '../../platform/sql.js';
import { getBlockFigures, NO_END, type BlockFigures, type EndFigures } from './blocks/block-figures.query.js';
import {
  getDistributions,
  toDistribution,
  type SketchSummary,
  type DistributionColumn,
} from './distributions.query.js';
import { getGasPrices, type GasPrices } from './gas-prices.query.js';
import { inSnapshot, frameReport, type BucketDates } from './plan/report-frame.js';
import { recount, recountCut, recountFine } from './plan/recount.js';
import { planReport, type ReportPlan } from './plan/report-plan.js';
import { isFine, type GroupKey, type ReportRequest } from './plan/report-request.js';
import { getSubmissionSums } from './plan/sums.query.js';
import { findUncounted } from './plan/uncounted.query.js';
import {
  ALL_SUBMISSION_FIGURES,
  columnsOfFigures,
  figuresMaker,
  type SubmissionFigure,
  type SubmissionFigures,
} from './submission-figures.js';
import { getLossFigures, NOT_TOLD, type RowLosses } from './coverage/losses.query.js';

/** Parts that are read only on request. */
export interface StatisticsNeeds {
  /** All figures if left out. */
  readonly submissions?: readonly SubmissionFigure[];
  readonly distributions?: readonly DistributionColumn[];
  readonly gasPrices?: boolean;
  readonly blocks?: boolean;
  readonly ends?: boolean;
  readonly losses?: boolean;
}

/** Distributions of a row; null without values, and if not requested. */
interface DistributionFigures {
  readonly inclusionLagMs: SketchSummary | null;
  readonly submissionTimeMs: SketchSummary | null;
  readonly blobBytesDistribution: SketchSummary | null;
}

/** A row of statistics. Parts that were not requested are missing. */
export interface StatisticsFigures
  extends
    GroupKey,
    BucketDates,
    SubmissionFigures,
    DistributionFigures,
    Partial<GasPrices>,
    Partial<BlockFigures>,
    Partial<EndFigures>,
    Partial<RowLosses> {
  /** Start of the bucket. */
  readonly timeUs: Micros;
  /** 0 to 1. */
  readonly coverage: number;
  /** Whether everything recorded of the row's time is in its figures. If not, they cover a part: lower bounds. */
  readonly counted: boolean;
  /** Whether everything recorded of the row's time is read and decided. */
  readonly decided: boolean;
}

/** Reads statistics of submissions, blocks and nodes over time, from the stored buckets, or as they were known. */
@Injectable()
export class StatisticsReader {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /**
   * Rows by time, then by group.
   * @param prototype of the rows, if they need more than their figures: changing it is slow once a row is finished
   * @throws ReadFault for a request that cannot be answered as it is
   */
  getStatistics(
    request: ReportRequest,
    needs: StatisticsNeeds = {},
    prototype: object = Object.prototype,
  ): Promise<LazyRows<StatisticsFigures>> {
    return inSnapshot(this.reads, async (query) => {
      const plan = await planReport(query, request);
      if (plan === undefined) return LazyRows.none();
      const sums =
        plan.knownAt === undefined
          ? { cut: await (isFine(plan.bucket) ? recountFine : recountCut)(query, plan) }
          : { recounted: await recount(query, plan) };
      return readRows(query, { ...plan, ...sums }, needs, prototype);
    });
  }
}

async function readRows(
  query: Query,
  plan: ReportPlan,
  needs: StatisticsNeeds,
  prototype: object,
): Promise<LazyRows<StatisticsFigures>> {
  const { submissions = ALL_SUBMISSION_FIGURES } = needs;
  const columns = columnsOfFigures(submissions);
  const none = Object.fromEntries(Object.keys(columns).map((name) => [name, 0n]));
  const makeFigures = figuresMaker(submissions);
  // Queries that may be refused run first.
  const { blocks, ends } = await getBlockFigures(query, plan, needs);
  const uncounted = await findUncounted(query, plan, true);
  const rows = await frameReport(query, plan, uncounted, needs.blocks ?? false, () =>
    getSubmissionSums(query, plan, columns),
  );
  const distributions = await getDistributionFigures(query, plan, needs.distributions ?? []);
  const gasPrices = needs.gasPrices ? await getGasPrices(query, plan) : undefined;
  const losses = needs.losses ? await getLossFigures(query, plan) : undefined;
  return LazyRows.from(rows, (row) => {
    const { timeUs, coverage, dates, group, slot, isUnknown, isCounted, isDecided } = row;
    // Spreading this many properties into a literal takes seven times as long.
    const figures = Object.assign(
      Object.create(prototype) as object,
      { timeUs, coverage, counted: isCounted, decided: isDecided },
      dates,
      group,
      makeFigures(isUnknown ? null : (row.found?.sums ?? none), isCounted),
    );
    return Object.assign(
      figures,
      distributions(slot.name),
      gasPrices?.(slot),
      Object.assign(
        {},
        blocks?.(row),
        ends && (uncounted.isWholeTo(slot) ? ends(row) : NO_END),
        losses && (isDecided ? losses(slot) : NOT_TOLD),
      ),
    );
  });
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
