import { bucketStart, nextBucket } from '../domain/statistics/time-buckets.js';
import type { Micros } from '../domain/time.js';
import {
  NO_TOTAL,
  readCostsWithTotal,
  type CostRequest,
  type CostRowFigures,
  type CostTotal,
} from '../statistics/read/cost/cost.reader.js';
import type { Database, Query } from '../platform/sql.js';
import type { PriceVersion } from '../projections/prices/price-ledger.js';
import { loadStandingPrices } from '../projections/prices/prices.js';
import { findPositionAt } from '../statistics/read/plan/log-position.query.js';
import { inSnapshot } from '../statistics/read/plan/report-frame.js';
import type { RecordedChain } from '../statistics/read/plan/recorded-chains.query.js';
import type { ReportBucket, ReportGroup } from '../statistics/read/plan/report-request.js';
import { NO_LOSSES, readTotalLosses, type LossFigures } from '../statistics/read/watch/report-losses.js';

/** What a report is asked for, for each of its chains. */
export interface ReportQuestion {
  readonly bucket: ReportBucket;
  readonly groupBy: readonly ReportGroup[];
  readonly from: ((zone: string) => Micros) | undefined;
  readonly to: ((zone: string) => Micros) | undefined;
  readonly timeZone: string | undefined;
  readonly pricesAsOfUs: Micros | undefined;
  readonly knownAtUs: Micros | undefined;
  readonly nowUs: Micros;
}

/** The cost of one chain. */
export interface ChainReport {
  readonly chain: string;
  readonly zone: string;
  readonly bucket: ReportBucket;
  readonly groupBy: readonly ReportGroup[];
  /** The time of the report; undefined where none was asked for and nothing is known. */
  readonly range: { readonly fromUs: Micros; readonly toUs: Micros } | undefined;
  /** The time of which something is known at all. */
  readonly extent: RecordedChain['extent'];
  readonly rows: readonly CostRowFigures[];
  /** Of the chain, each submission once, however the rows are told apart. */
  readonly total: CostTotal;
  /** Of the book, those that begin in the time of the report; none where other ones than it has are asked for. */
  readonly prices: readonly PriceVersion[];
  /** Attempts that were never seen. */
  readonly losses: LossFigures;
  readonly question: ReportQuestion;
}

/** Reads the report of one chain. */
export async function readChainReport(
  dataSource: Database,
  { chain, zone: ownZone, extent }: RecordedChain,
  question: ReportQuestion,
): Promise<ChainReport> {
  const { bucket, groupBy, timeZone, nowUs, pricesAsOfUs, knownAtUs } = question;
  const zone = timeZone ?? ownZone;
  // Nothing asked for and nothing known: there is no time that the report could be of.
  const range = findRange(question, zone, extent);
  const about = { chain, zone, bucket, groupBy, range, extent, question };
  if (range === undefined) return { ...about, rows: [], total: NO_TOTAL, prices: [], losses: NO_LOSSES };
  const request: CostRequest = {
    filter: { chains: [chain] },
    bucket,
    groupBy,
    ...range,
    // Hours are those of UTC unless the zone's are others.
    timeZone: zone,
    nowUs,
    pricesAsOfUs,
    knownAtUs,
  };
  return inSnapshot(dataSource, async (query) => {
    const needs = { unitCosts: true, change: true, forecast: true };
    const { rows, total } = await readCostsWithTotal(query, request, needs);
    const prices = pricesAsOfUs === undefined ? await readPricesBegun(query, chain, range, knownAtUs) : [];
    return { ...about, rows: [...rows], total, prices, losses: await readTotalLosses(query, request) };
  });
}

async function readPricesBegun(
  query: Query,
  chain: string,
  { fromUs, toUs }: NonNullable<ChainReport['range']>,
  knownAtUs: Micros | undefined,
): Promise<PriceVersion[]> {
  const knownAt = knownAtUs === undefined ? {} : { knownAt: await findPositionAt(query, knownAtUs) };
  const book = await loadStandingPrices(query, { chain, ...knownAt });
  return book.filter(({ effectiveFrom: us }) => us !== null && us >= fromUs && us < toUs);
}

/** The time of a report; undefined where none is asked for and nothing is known. */
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
