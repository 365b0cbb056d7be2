import { Inject, Injectable } from '@nestjs/common';
import type { Decimal } from '../../../domain/cost/decimal.js';
import { bucketStart } from '../../../domain/statistics/time-buckets.js';
import type { Micros } from '../../../domain/time.js';
import { LazyRows, mapInTimeSlices } from '../../../platform/time-slices.js';
import { ReadDatabase } from '../../../platform/reads/read-database.js';
import type { Query, Database } from '../../../platform/sql.js';
import { getBlockFigures } from '../blocks/block-figures.query.js';
import { meanOf } from '../figure-rules.js';
import type { CostFigures, CostNeed, FiguresFor } from '../figures.js';
import { getExtent } from '../plan/scope.query.js';
import { constantGroups, toSlot, type Group } from '../plan/grouped-rows.js';
import { inSnapshot, frameReport, type BucketDates, type FramedRow } from '../plan/report-frame.js';
import { recountBlocks, recountCut } from '../plan/recount.js';
import { planReport, type ReportPlan } from '../plan/report-plan.js';
import { findUncounted, type Uncounted } from '../plan/uncounted.query.js';
import { ReadFault } from '../plan/read-fault.js';
import { isFine, type GroupKey, type ReportRequest } from '../plan/report-request.js';
import { getCostAsOf, type AsOf } from './cost-as-of.query.js';
import {
  changeOf,
  NO_UNIT_COSTS,
  toCostFigures,
  toFeeMax,
  toTotalFigures,
  toUnitCosts,
  UNKNOWN_COST,
  type TotalFigures,
} from './cost-figures.js';
import { getStoredCost, NO_COST, type CostSlot } from './cost-sums.query.js';
import { getForecasts, type CostSources } from './month-end.js';

export interface CostRequest extends ReportRequest, AsOf {}

/** Parts that are read only on request. */
export type CostNeeds = { readonly [Need in CostNeed]?: boolean };

/** A row of the cost report. Parts that were not requested are missing. */
export interface CostRowFigures extends GroupKey, BucketDates, CostFigures, Partial<FiguresFor<CostNeed>> {
  /** Start of the bucket. */
  readonly timeUs: Micros;
  /** 0 to 1. */
  readonly coverage: number;
  /** Whether everything recorded of the row's time is in its figures. If not, they cover a part: lower bounds. */
  readonly counted: boolean;
  /** Whether everything recorded of the row's time is read and decided. */
  readonly decided: boolean;
}

/** The cost of the whole time, each submission once. The coverage is the mean over the past time. */
export interface CostTotal extends TotalFigures {
  readonly coverage: number;
  /** False if a part of the time was not monitored and has no records: counts are then lower bounds. */
  readonly isWhole: boolean;
  /** Number of rows; `uncounted` is the number of rows that lack recorded data. */
  readonly rows: number;
  readonly uncounted: number;
}

/** Reads the cost of submissions, from the stored buckets or priced again. */
@Injectable()
export class CostReader {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /**
   * Rows by time, then by group.
   * @throws ReadFault for a request that cannot be answered as it is
   */
  getCosts(request: CostRequest, needs: CostNeeds = {}): Promise<LazyRows<CostRowFigures>> {
    return inSnapshot(this.reads, async (query) => {
      const report = await planCosts(query, request);
      return report ? (await report.read(needs)).rows : LazyRows.none();
    });
  }
}

/** Like {@link CostReader.getCosts}, with the total of the request, within a snapshot that other queries share. */
export async function readCostsWithTotal(
  query: Query,
  request: CostRequest,
  needs: CostNeeds = {},
): Promise<{ readonly rows: LazyRows<CostRowFigures>; readonly total: CostTotal }> {
  const report = await planCosts(query, request);
  if (report === undefined) return { rows: LazyRows.none(), total: NO_TOTAL };
  const { framed, rows } = await report.read(needs);
  // Rows of several nodes may contain the same submissions.
  const whole = request.groupBy.length > 0 && (await planCosts(query, { ...request, groupBy: [] }));
  return { rows, total: toTotal(whole ? (await whole.read({})).framed : framed) };
}

async function planCosts(query: Query, request: CostRequest): Promise<CostReport | undefined> {
  if (isFine(request.bucket))
    throw new ReadFault(
      'BAD_INPUT',
      'Cost is reported by QUARTER_HOUR and longer buckets; `statistics` has shorter ones.',
    );
  const plan = await planReport(query, request);
  if (plan === undefined) return undefined;
  const sums =
    plan.knownAt === undefined
      ? { cut: await recountCut(query, plan) }
      : { recounted: await recountBlocks(query, plan) };
  return new CostReport(query, { ...plan, ...sums }, request);
}

type CostFrame = readonly FramedRow<CostSlot>[];

class CostReport {
  constructor(
    private readonly query: Query,
    readonly plan: ReportPlan,
    private readonly asOf: AsOf,
  ) {}

  async read(needs: CostNeeds): Promise<{ framed: CostFrame; rows: LazyRows<CostRowFigures> }> {
    const { query, plan } = this;
    // Queries that may be refused run first.
    const { blocks } = await getBlockFigures(query, plan, { blocks: needs.unitCosts });
    const uncounted = await this.findUncounted(plan);
    // Blocks are read from stored sums, even if cost is computed from rows.
    const ofBlocks = needs.unitCosts && !this.isStored ? await findUncounted(query, plan, true) : uncounted;
    const framed = await frameReport(query, plan, uncounted, needs.unitCosts ?? false, () =>
      this.getCost(plan),
    );
    const changes = needs.change ? await this.getChanges(framed) : undefined;
    const forecasts = needs.forecast ? await getForecasts(query, plan, this.sources) : undefined;
    const isToldApart = constantGroups(plan) === undefined;
    const rows = LazyRows.from(framed, (row) => {
      const cost = row.isUnknown
        ? UNKNOWN_COST
        : toCostFigures(row.found ?? NO_COST, isToldApart, row.isCounted);
      // Spreading this many properties into a literal takes seven times as long.
      return Object.assign(
        { timeUs: row.timeUs, coverage: row.coverage, counted: row.isCounted, decided: row.isDecided },
        row.dates,
        row.group,
        cost,
        // A part divided by a part bounds nothing.
        blocks && (ofBlocks.of(row.slot).isCounted ? toUnitCosts(cost, blocks(row)) : NO_UNIT_COSTS),
        Object.assign({}, changes && { changeToPrevious: changes(row) }, forecasts?.(row)),
      );
    });
    return { framed, rows };
  }

  private get isStored(): boolean {
    const { pricesAsOfUs, knownAtUs, books } = this.asOf;
    return pricesAsOfUs === undefined && knownAtUs === undefined && books === undefined;
  }

  private getCost(plan: ReportPlan): Promise<CostSlot[]> {
    return this.isStored ? getStoredCost(this.query, plan) : getCostAsOf(this.query, plan, this.asOf);
  }

  private findUncounted(plan: ReportPlan): Promise<Uncounted> {
    return findUncounted(this.query, plan, this.isStored);
  }

  private get sources(): CostSources {
    return {
      getCost: (plan) => this.getCost(plan),
      findUncounted: (plan) => this.findUncounted(plan),
    };
  }

  /** Changes of feeMax from bucket to bucket. A bucket that is cut off, or not over yet, is not compared with a whole bucket. */
  private async getChanges(framed: CostFrame): Promise<(row: FramedRow<CostSlot>) => number | null> {
    const { starts, endUs, fromUs, toUs, nowUs } = this.plan;
    const extent = await getExtent(this.query, this.plan.scope, nowUs);
    if (extent === undefined) return () => null;
    const before = await this.getFeesBefore(extent.fromUs);
    const fees = new Map(
      await mapInTimeSlices(
        framed,
        (row) =>
          [row.slot.name, row.isUnknown || !row.isCounted ? null : toFeeMax(row.found ?? NO_COST)] as const,
      ),
    );
    const isWhole = (bucket: number): boolean => {
      const start = starts[bucket] ?? fromUs;
      const end = starts[bucket + 1] ?? endUs;
      return start >= fromUs && start >= extent.fromUs && end <= toUs && end <= nowUs;
    };
    const feeAt = (bucket: number, group: Group): Decimal | null => {
      if (bucket === 0) return before.get(toSlot(0, group).name) ?? null;
      return isWhole(bucket - 1) ? (fees.get(toSlot(bucket - 1, group).name) ?? null) : null;
    };
    return ({ slot: { bucket, group, name } }) =>
      isWhole(bucket) ? changeOf(feeAt(bucket, group), fees.get(name) ?? null) : null;
  }

  /** feeMax of the bucket before the first one, by group; empty if the record begins after the start of that bucket. */
  private async getFeesBefore(recordFromUs: Micros): Promise<ReadonlyMap<string, Decimal | null>> {
    const { bucket, zone, starts } = this.plan;
    const endUs = starts[0];
    if (endUs === undefined) return new Map();
    const fromUs = bucketStart(endUs - 1n, bucket, zone);
    if (fromUs < recordFromUs) return new Map();
    const plan = { ...this.plan, fromUs, toUs: endUs, endUs, starts: [fromUs] };
    const uncounted = await this.findUncounted(plan);
    const slots = await this.getCost(plan);
    return new Map(slots.map((slot) => [slot.name, uncounted.of(slot).isCounted ? toFeeMax(slot) : null]));
  }
}

function toTotal(framed: CostFrame): CostTotal {
  const uncounted = framed.filter(({ isCounted }) => !isCounted).length;
  if (framed.every(({ isUnknown }) => isUnknown)) return { ...NO_TOTAL, rows: framed.length, uncounted };
  // Nothing can be known about the future, or about the time before the chain.
  const isWhole = !framed.some(({ isUnknown, lengthUs }) => isUnknown && lengthUs > 0n);
  const costs = framed.flatMap(({ found }) => found ?? []);
  const coverage = meanOf(framed.map((row) => [row.coverage, Number(row.lengthUs)]));
  const figures = toTotalFigures(costs, isWhole && uncounted === 0, uncounted === 0);
  return { ...figures, coverage, isWhole, rows: framed.length, uncounted };
}

/** The total of a time about which nothing is known. */
export const NO_TOTAL: CostTotal = { ...UNKNOWN_COST, coverage: 0, isWhole: false, rows: 0, uncounted: 0 };
