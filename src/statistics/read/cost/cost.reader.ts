import { Inject, Injectable } from '@nestjs/common';
import type { Decimal } from '../../../domain/cost/decimal.js';
import { bucketStart } from '../../../domain/statistics/time-buckets.js';
import { LazyRows } from '../../../platform/lazy-rows.js';
import { ReadDatabase } from '../../../platform/reads/read-database.js';
import type { Query, StatementSource } from '../../../platform/sql.js';
import { mapInTurns } from '../../../platform/turns.js';
import { getBlockFigures } from '../blocks/block-figures.query.js';
import { getCostAsOf, type AsOf } from './cost-as-of.query.js';
import { changeOf, toCostFigures, toUnitCosts, type CostFigures, type UnitCosts } from './cost-figures.js';
import { getStoredCost, NO_COST, type CostSlot } from './cost-sums.query.js';
import { slotOf, type GroupRow } from '../plan/grouped-rows.js';
import { inSnapshot } from '../plan/in-snapshot.js';
import { getExtent } from '../plan/extent.query.js';
import { frameReport, type FramedRow } from '../plan/report-frame.js';
import { getForecasts, type ForecastFigures } from './month-end.js';
import { planReport, type ReportPlan } from '../plan/report-plan.js';
import type { GroupKey, ReportRequest } from '../plan/report-request.js';

export interface CostRequest extends ReportRequest, AsOf {}

/** What is read only where somebody wants it. */
export interface CostNeeds {
  readonly unitCosts?: boolean;
  readonly change?: boolean;
  readonly forecast?: boolean;
}

/** A row of the cost report. Parts that were not asked for are missing. */
export interface CostRowFigures extends GroupKey, CostFigures, Partial<UnitCosts>, Partial<ForecastFigures> {
  /** Start of the bucket, Unix microseconds. */
  readonly timeUs: bigint;
  /** By which part of feeMax of the bucket before it has risen or fallen; null where either is unknown or not whole. */
  readonly changeToPrevious?: number | null;
  /** 0 to 1. */
  readonly coverage: number;
}

/** Reads what submissions cost, from the stored buckets or priced anew. */
@Injectable()
export class CostReader {
  constructor(@Inject(ReadDatabase) private readonly dataSource: StatementSource) {}

  /**
   * Rows by time, then by group.
   * @throws ReadFault for a question that cannot be answered as it is asked
   */
  getCosts(request: CostRequest, needs: CostNeeds = {}): Promise<LazyRows<CostRowFigures>> {
    return inSnapshot(this.dataSource, (query) => readCosts(query, request, needs));
  }
}

/** As {@link CostReader.getCosts}, within a snapshot that others read from, too. */
export async function readCosts(
  query: Query,
  request: CostRequest,
  needs: CostNeeds = {},
): Promise<LazyRows<CostRowFigures>> {
  const plan = await planReport(query, request);
  return plan ? new CostReport(query, plan, request).read(needs) : LazyRows.none();
}

/** One report. */
class CostReport {
  constructor(
    private readonly query: Query,
    private readonly plan: ReportPlan,
    private readonly asOf: AsOf,
  ) {}

  async read(needs: CostNeeds): Promise<LazyRows<CostRowFigures>> {
    const { query, plan } = this;
    // First what may be refused.
    const blocks = needs.unitCosts ? await getBlockFigures(query, plan) : undefined;
    const rows = await frameReport(query, plan, () => this.getCost(plan));
    const changes = needs.change ? await this.getChanges(rows) : undefined;
    const forecasts = needs.forecast
      ? await getForecasts(query, plan, (days) => this.getCost(days))
      : undefined;
    return LazyRows.from(rows, (row) => {
      const cost = toFigures(row.found);
      // Spread into a literal, that many properties take seven times as long.
      return Object.assign(
        { timeUs: row.timeUs, coverage: row.coverage, ...row.group },
        cost,
        blocks && toUnitCosts(cost, blocks(row)),
        Object.assign({}, changes && { changeToPrevious: changes(row) }, forecasts?.(row)),
      );
    });
  }

  private getCost(plan: ReportPlan): Promise<CostSlot[]> {
    const { pricesAsOfUs, knownAtUs } = this.asOf;
    const isStored = pricesAsOfUs === undefined && knownAtUs === undefined;
    return isStored ? getStoredCost(this.query, plan) : getCostAsOf(this.query, plan, this.asOf);
  }

  /** Changes of feeMax from bucket to bucket. A bucket that is cut off, or not over yet, is not compared with a whole one. */
  private async getChanges(
    rows: readonly FramedRow<CostSlot>[],
  ): Promise<(row: FramedRow<CostSlot>) => number | null> {
    const { starts, endUs, fromUs, toUs, nowUs } = this.plan;
    const extent = await getExtent(this.query, this.plan.scope, nowUs);
    if (extent === undefined) return () => null;
    const before = await this.getFeesBefore(extent.fromUs);
    const fees = new Map(
      await mapInTurns(rows, ({ slot, found }) => [slot.name, toFigures(found).feeMax] as const),
    );
    const isWhole = (bucket: number): boolean => {
      const start = starts[bucket] ?? fromUs;
      const end = starts[bucket + 1] ?? endUs;
      return start >= fromUs && start >= extent.fromUs && end <= toUs && end <= nowUs;
    };
    const feeAt = (bucket: number, group: GroupRow): Decimal | null => {
      if (bucket === 0) return before.get(slotOf(0, group)) ?? null;
      return isWhole(bucket - 1) ? (fees.get(slotOf(bucket - 1, group)) ?? null) : null;
    };
    return ({ slot: { bucket, group, name } }) =>
      isWhole(bucket) ? changeOf(feeAt(bucket, group), fees.get(name) ?? null) : null;
  }

  /** feeMax of the bucket before the first one, by group; of none where the record begins later than that. */
  private async getFeesBefore(recordFromUs: bigint): Promise<ReadonlyMap<string, Decimal | null>> {
    const { bucket, zone, starts } = this.plan;
    const endUs = starts[0];
    if (endUs === undefined) return new Map();
    const fromUs = bucketStart(endUs - 1n, bucket, zone);
    if (fromUs < recordFromUs) return new Map();
    const slots = await this.getCost({ ...this.plan, fromUs, toUs: endUs, endUs, starts: [fromUs] });
    return new Map(slots.map((slot) => [slot.name, toFigures(slot).feeMax]));
  }
}

function toFigures(slot: CostSlot | undefined): CostFigures {
  return toCostFigures(slot?.sums ?? NO_COST, slot?.fiat ?? new Map());
}
