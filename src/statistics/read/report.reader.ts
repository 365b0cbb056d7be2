import { Inject, Injectable } from '@nestjs/common';
import type { Micros } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { inSnapshot } from '../../platform/snapshot.js';
import type { Query, Database } from '../../platform/sql.js';
import { LazyRows } from '../../platform/time-slices.js';
import { getBlockFigures, NO_END } from './blocks/block-figures.query.js';
import {
  getFiat,
  NO_TOTAL,
  toFiat,
  toKindShares,
  toTotal,
  toUnitCosts,
  type CostTotal,
  type FiatBySlot,
} from './cost/cost-figures.js';
import { getChanges, getForecasts } from './cost/fee-trend.js';
import { getLossFigures, NOT_TOLD } from './coverage/losses.query.js';
import { getDistributions, toDistribution } from './distributions.query.js';
import { getGasPrices } from './gas-prices.query.js';
import { measurer, sumColumnsOf } from './measure-rules.js';
import {
  isOfCost,
  isOfStatistics,
  OWN_COST_NAMES,
  partOf,
  type CostName,
  type Measured,
  type MeasureName,
  type Part,
} from './measures.js';
import { isToldApart } from './plan/grouped-rows.js';
import { ReadFault } from './plan/read-fault.js';
import { countAgain } from './plan/recount.js';
import { frameReport, type BucketDates, type FramedRow } from './plan/report-frame.js';
import { planReport, type ReportPlan } from './plan/report-plan.js';
import { isFine, type GroupKey, type ReportRequest } from './plan/report-request.js';
import { findUncounted, type Uncounted } from './plan/uncounted.query.js';

export type ReportRow<Name extends MeasureName> = RowHead & Measured<Name>;

export interface RowHead extends GroupKey, BucketDates {
  /** Start of the bucket. */
  readonly timeUs: Micros;
  /** 0 to 1. */
  readonly coverage: number;
  /** Whether everything recorded of the row's time is in its figures. If not, they cover a part: lower bounds. */
  readonly counted: boolean;
  /** Whether everything recorded of the row's time is read and decided. */
  readonly decided: boolean;
}

/** Reads submissions, blocks, nodes and cost over time: from the stored buckets, as they were known, or priced again. */
@Injectable()
export class ReportReader {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /**
   * Rows by time, then by group.
   * @param names the measures of a row
   * @param prototype of the rows, if they need more than their figures: changing it is slow once a row is finished
   * @throws ReadFault for a request that cannot be answered as it is
   */
  read<Name extends MeasureName>(
    request: ReportRequest,
    names: readonly Name[],
    prototype?: object,
  ): Promise<LazyRows<ReportRow<Name>>> {
    return inSnapshot(this.reads, async (query) => {
      const report = await readReport(query, request, names, prototype);
      return report?.rows ?? LazyRows.none();
    });
  }

  /** Like {@link read}, for reports of cost, which have no buckets shorter than the stored ones. */
  async readCosts<Name extends MeasureName>(
    request: ReportRequest,
    names: readonly Name[],
    prototype?: object,
  ): Promise<LazyRows<ReportRow<Name>>> {
    requireStored(request);
    return this.read(request, names, prototype);
  }
}

/** Costs of a request, with the total of its time, within a snapshot that other queries share. */
export async function readCostsWithTotal<Name extends CostName>(
  query: Query,
  request: ReportRequest,
  names: readonly Name[],
): Promise<{ readonly rows: LazyRows<ReportRow<Name>>; readonly total: CostTotal }> {
  requireStored(request);
  const report = await readReport(query, request, names);
  if (report === undefined) return { rows: LazyRows.none(), total: NO_TOTAL };
  // Rows of several nodes may contain the same submissions.
  const whole =
    request.groupBy.length > 0 && (await readReport(query, { ...request, groupBy: [] }, OWN_COST_NAMES));
  const { framed, fiat } = whole || report;
  return { rows: report.rows, total: toTotal(framed, fiat) };
}

function requireStored({ bucket }: ReportRequest): void {
  if (!isFine(bucket)) return;
  const problem = 'Cost is reported by QUARTER_HOUR and longer buckets; `statistics` has shorter ones.';
  throw new ReadFault('BAD_INPUT', problem);
}

/** Sources of the parts of a report. */
interface Reading extends Awaited<ReturnType<typeof getBlockFigures>> {
  readonly query: Query;
  readonly plan: ReportPlan;
  readonly uncounted: Uncounted;
  readonly framed: readonly FramedRow[];
  readonly fiat: FiatBySlot;
}

interface Report<Name extends MeasureName> extends Pick<Reading, 'framed' | 'fiat'> {
  readonly rows: LazyRows<ReportRow<Name>>;
}

async function readReport<Name extends MeasureName>(
  query: Query,
  request: ReportRequest,
  names: readonly Name[],
  prototype: object = Object.prototype,
): Promise<Report<Name> | undefined> {
  const planned = await planReport(query, request);
  if (planned === undefined) return undefined;
  const parts = new Set(names.map(partOf));
  const prices = names.some(isOfCost);
  const carried = names.some(isOfStatistics);
  const plan = await countAgain(query, planned, { prices, carried, blocks: !planned.isOfSubmissions });
  // Queries that may be refused run first.
  const needs = { blocks: parts.has('blocks') || parts.has('unitCosts'), ends: parts.has('ends') };
  const blocks = await getBlockFigures(query, plan, needs);
  const uncounted = await findUncounted(query, plan, 'statistics');
  const framed = await frameReport(query, plan, uncounted, needs.blocks, sumColumnsOf(names));
  const fiat = parts.has('fiat') ? await getFiat(query, plan) : new Map();
  const reading = { query, plan, uncounted, framed, fiat, ...blocks };
  const makers: MakePart[] = [];
  for (const [part, read] of Object.entries(PARTS))
    if (parts.has(part as Part)) makers.push(await read(reading));
  const measure = measurer(names, isToldApart(plan));
  const rows = LazyRows.from(framed, (row) => {
    const { timeUs, coverage, isCounted: counted, isDecided: decided } = row;
    // Spreading this many properties into a literal takes seven times as long.
    return Object.assign(
      Object.create(prototype) as object,
      { timeUs, coverage, counted, decided },
      row.dates,
      row.group,
      measure(row.isUnknown ? null : (row.sums ?? {}), counted),
      ...makers.map((make) => make(row)),
    ) as ReportRow<Name>;
  });
  return { framed, fiat, rows };
}

type MakePart = (row: FramedRow) => object;
type ReadPart = (reading: Reading) => MakePart | Promise<MakePart>;

const PARTS: Readonly<Record<Part, ReadPart>> = {
  fiat: (reading) => (row) => toFiat(row, reading.fiat.get(row.slot.name), reading.plan),
  kindShares:
    () =>
    ({ sums = {} }) =>
      toKindShares(sums),
  lagMs: distribution('inclusionLagMs', 'lagMs'),
  submissionMs: distribution('submissionTimeMs', 'submissionMs'),
  blobBytes: distribution('blobBytes', 'blobBytes'),
  gasPrices: async ({ query, plan }) => {
    const gasPrices = await getGasPrices(query, plan);
    return ({ slot }) => gasPrices(slot);
  },
  blocks: ({ blocks = () => ({}) }) => blocks,
  ends:
    ({ ends = () => NO_END, uncounted }) =>
    (row) =>
      uncounted.isWholeTo(row.slot) ? ends(row) : NO_END,
  losses: async ({ query, plan }) => {
    const losses = await getLossFigures(query, plan);
    return ({ slot, isDecided }) => (isDecided ? losses(slot) : NOT_TOLD);
  },
  unitCosts: async ({ query, plan, blocks, uncounted }) => {
    // Blocks may be read from stored sums, even if cost is computed from rows.
    const ofBlocks = plan.recounted && !plan.recounted.blocks;
    const lacking = ofBlocks ? await findUncounted(query, plan, 'blocks') : uncounted;
    const costOf = measurer(['feeMin', 'feeMax', 'unreadable', 'sizeBytes'], isToldApart(plan));
    return (row) => {
      // A part divided by a part bounds nothing.
      const isKnown = !row.isUnknown && blocks !== undefined && lacking.of(row.slot).isCounted;
      return toUnitCosts(costOf(isKnown ? (row.sums ?? {}) : null, row.isCounted), blocks?.(row));
    };
  },
  change: getChanges,
  forecast: getForecasts,
};

function distribution(name: MeasureName, column: Parameters<typeof getDistributions>[2]): ReadPart {
  return async ({ query, plan }) => {
    const merged = await getDistributions(query, plan, column);
    return ({ slot }) => ({ [name]: toDistribution(merged.get(slot.name)) });
  };
}
