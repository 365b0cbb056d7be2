import { budgetsOfChain, type ChainBudget } from '../../../domain/cost/budget.js';
import { readBudget, type RunningBudget } from './budget.reader.js';
import { bucketStart, nextBucket } from '../../../domain/statistics/time-buckets.js';
import type { Micros } from '../../../domain/time.js';
import { NO_TOTAL, type CostTotal } from './cost-figures.js';
import { findAccountsOf } from './account-payers.query.js';
import {
  LONGEST_RECONCILIATION_US,
  reconcileAccount,
  type AccountReconciliation,
} from './reconciliation.reader.js';
import type { Database, Query } from '../../../platform/sql.js';
import type { PriceVersion } from '../../../projections/prices/price-ledger.js';
import { loadValidPrices } from '../../../projections/prices/prices.js';
import { findPositionAt } from '../plan/log-position.query.js';
import { ReadFault } from '../plan/read-fault.js';
import { COST_NAMES, type CostName } from '../measures.js';
import { inSnapshot } from '../../../platform/snapshot.js';
import type { RecordedChain } from '../plan/recorded-chains.query.js';
import type { PlannedBucket, ReportGroup, ReportRequest } from '../plan/report-request.js';
import { readCostsWithTotal, type ReportRow } from '../report.reader.js';
import { NO_LOSSES, readTotalLosses, type LossFigures } from '../coverage/losses.query.js';

/** A request for a report, the same for each of its chains. */
export interface ReportQuestion {
  readonly bucket: PlannedBucket;
  readonly groupBy: readonly ReportGroup[];
  readonly from: ((zone: string) => Micros) | undefined;
  readonly to: ((zone: string) => Micros) | undefined;
  readonly timeZone: string | undefined;
  readonly pricesAsOfUs: Micros | undefined;
  readonly knownAtUs: Micros | undefined;
  readonly nowUs: Micros;
  /** The month with which the fiscal year begins, if the report needs it. */
  readonly yearStart?: number | undefined;
  /** Budgets of chains; none if left out. */
  readonly budgets?: readonly ChainBudget[];
}

export type CostRow = ReportRow<CostName>;

export interface ChainReport {
  readonly chain: string;
  readonly zone: string;
  readonly bucket: PlannedBucket;
  readonly groupBy: readonly ReportGroup[];
  /** Time of the report; undefined if it is neither requested nor known. */
  readonly range: { readonly fromUs: Micros; readonly toUs: Micros } | undefined;
  readonly extent: RecordedChain['extent'];
  readonly rows: readonly CostRow[];
  /** Totals of the chain; each submission counts once, however the rows are grouped. */
  readonly total: CostTotal;
  /** Prices of the book that begin in the time of the report; empty if the report uses the prices of another time. */
  readonly prices: readonly PriceVersion[];
  /** Attempts that were never seen. */
  readonly losses: LossFigures;
  readonly reconciliations: readonly ReportedReconciliation[];
  /** The running periods of its budgets; empty for a report of the past. */
  readonly budgets: readonly (ChainBudget & RunningBudget)[];
  readonly question: ReportQuestion;
}

/** Most accounts of a chain that a report compares: each reads the rows of its time. */
const MOST_ACCOUNTS = 5;

/** An account that pays for the chain, compared over the last 31 days of the report. */
export interface ReportedReconciliation {
  readonly account: string;
  /** Undefined without two balances in the time. A text: the reason why they could not be compared. */
  readonly found: AccountReconciliation | string | undefined;
}

export async function readChainReport(
  dataSource: Database,
  { chain, zone: ownZone, extent }: RecordedChain,
  question: ReportQuestion,
): Promise<ChainReport> {
  const { bucket, groupBy, timeZone, nowUs, pricesAsOfUs, knownAtUs } = question;
  const zone = timeZone ?? ownZone;
  // Neither requested nor known: there is no time to report.
  const range = findRange(question, zone, extent);
  const about = { chain, zone, bucket, groupBy, range, extent, question };
  if (range === undefined)
    return {
      ...about,
      rows: [],
      total: NO_TOTAL,
      prices: [],
      losses: NO_LOSSES,
      reconciliations: [],
      budgets: [],
    };
  const request: ReportRequest = {
    filter: { chains: [chain] },
    bucket,
    groupBy,
    ...range,
    // Hours are UTC hours, unless the hours of the zone differ.
    timeZone: zone,
    nowUs,
    pricesAsOfUs,
    knownAtUs,
  };
  return inSnapshot(dataSource, async (query) => {
    const { rows, total } = await readCostsWithTotal(query, request, COST_NAMES);
    const prices = pricesAsOfUs === undefined ? await readPricesBegun(query, chain, range, knownAtUs) : [];
    const reconciliations = await readReconciliations(query, chain, request);
    return {
      ...about,
      rows: [...rows],
      total,
      prices,
      losses: await readTotalLosses(query, request),
      reconciliations,
      budgets: await readBudgets(query, chain, question),
    };
  });
}

async function readBudgets(
  query: Query,
  chain: string,
  { budgets = [], nowUs, knownAtUs, pricesAsOfUs }: ReportQuestion,
): Promise<ChainReport['budgets']> {
  if (knownAtUs !== undefined || pricesAsOfUs !== undefined) return [];
  const running: (ChainBudget & RunningBudget)[] = [];
  for (const budget of budgetsOfChain(budgets, chain))
    running.push({ ...budget, ...(await readBudget(query, chain, budget, nowUs)) });
  return running;
}

async function readReconciliations(
  query: Query,
  chain: string,
  { fromUs, toUs, nowUs, knownAtUs }: ReportRequest,
): Promise<ReportedReconciliation[]> {
  if (fromUs === undefined || toUs === undefined) return [];
  const presentUs = knownAtUs !== undefined && knownAtUs < nowUs ? knownAtUs : nowUs;
  const endUs = toUs < presentUs ? toUs : presentUs;
  const longest = endUs - LONGEST_RECONCILIATION_US;
  const range = { fromUs: fromUs > longest ? fromUs : longest, toUs: endUs, nowUs: presentUs };
  if (range.fromUs >= endUs) return [];
  const knownAt = knownAtUs === undefined ? undefined : await findPositionAt(query, knownAtUs);
  const reconciliations: ReportedReconciliation[] = [];
  for (const account of await findAccountsOf(query, chain, MOST_ACCOUNTS)) {
    const found = await reconcileAccount(query, { account, ...range, knownAt }).catch((error: unknown) => {
      if (error instanceof ReadFault) return error.message;
      throw error;
    });
    reconciliations.push({ account, found });
  }
  return reconciliations;
}

async function readPricesBegun(
  query: Query,
  chain: string,
  { fromUs, toUs }: NonNullable<ChainReport['range']>,
  knownAtUs: Micros | undefined,
): Promise<PriceVersion[]> {
  const knownAt = knownAtUs === undefined ? {} : { knownAt: await findPositionAt(query, knownAtUs) };
  const book = await loadValidPrices(query, { chain, ...knownAt });
  return book.filter(({ effectiveFrom: us }) => us !== null && us >= fromUs && us < toUs);
}

/** Time of a report; undefined if it is neither requested nor known. */
export function findRange(
  { from, to, bucket }: ReportQuestion,
  zone: string,
  extent: RecordedChain['extent'],
): ChainReport['range'] {
  const fromUs = from?.(zone) ?? (extent && bucketStart(extent.fromUs, bucket, zone));
  const toUs = to?.(zone) ?? (extent && nextBucket(extent.lastUs, bucket, zone));
  return fromUs === undefined ||
    toUs === undefined ||
    (from !== undefined && to === undefined && fromUs >= toUs)
    ? undefined
    : { fromUs, toUs };
}
