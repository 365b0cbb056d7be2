import type { DataSource } from 'typeorm';
import { Decimal } from '../domain/cost/decimal.js';
import { bucketStart, nextBucket } from '../domain/statistics/time-buckets.js';
import type { Query } from '../platform/sql.js';
import { readCosts, type CostRequest, type CostRowFigures } from '../statistics/read/cost/cost.reader.js';
import { inSnapshot } from '../statistics/read/plan/in-snapshot.js';
import type { RecordedChain } from '../statistics/read/plan/recorded-chains.query.js';
import type { ReportBucket, ReportGroup } from '../statistics/read/plan/report-request.js';
import { readStatistics } from '../statistics/read/statistics.reader.js';

/** What a report is asked for, for each of its chains. Unix microseconds. */
export interface ReportQuestion {
  readonly bucket: ReportBucket;
  readonly groupBy: readonly ReportGroup[];
  readonly from: ((zone: string) => bigint) | undefined;
  readonly to: ((zone: string) => bigint) | undefined;
  readonly timeZone: string | undefined;
  readonly pricesAsOfUs: bigint | undefined;
  readonly knownAtUs: bigint | undefined;
  readonly nowUs: bigint;
}

/** A row, or the sum of all rows. */
export type ReportLine = CostRowFigures;

/** Attempts that were never seen, in the time of a report. */
interface ReportLosses {
  readonly holes: number;
  readonly proven: bigint;
  /** Null where a hole has no estimate. */
  readonly likely: bigint | null;
}

/** The cost of one chain. */
export interface ChainReport {
  readonly chain: string;
  readonly zone: string;
  readonly bucket: ReportBucket;
  readonly groupBy: readonly ReportGroup[];
  /** The time of the report; undefined where none was asked for and nothing is known. */
  readonly range: { readonly fromUs: bigint; readonly toUs: bigint } | undefined;
  /** The time of which something is known at all. */
  readonly extent: RecordedChain['extent'];
  readonly rows: readonly ReportLine[];
  /** Of the chain, each submission once, however the rows are told apart. */
  readonly total: ReportTotal;
  readonly losses: ReportLosses;
  readonly question: ReportQuestion;
}

/** What all of the time cost together. */
export type ReportTotal = Pick<
  CostRowFigures,
  | 'submissions'
  | 'landed'
  | 'sizeBytes'
  | 'unreadable'
  | 'feeMin'
  | 'feeMax'
  | 'knownFeeMax'
  | 'fiatMin'
  | 'fiatMax'
  | 'fiatUnit'
  | 'failedAttempts'
  | 'failedFeeMax'
  | 'unreferenced'
  | 'wastedFeeMin'
  | 'wastedFeeMax'
  | 'importedShare'
  | 'recordedShare'
  | 'pricedShare'
  | 'unknownShare'
  | 'coverage'
>;

/** Nothing is recorded, and nobody was watching: then a zero would say more than is known. */
export function isUnknown(row: Pick<ReportTotal, 'coverage' | 'submissions' | 'failedAttempts'>): boolean {
  return row.coverage === 0 && row.submissions === 0n && row.failedAttempts === 0n;
}

/** Reads the report of one chain. */
export async function readChainReport(
  dataSource: DataSource,
  { chain, zone: ownZone, extent }: RecordedChain,
  question: ReportQuestion,
): Promise<ChainReport> {
  const { bucket, groupBy, timeZone, nowUs, pricesAsOfUs, knownAtUs } = question;
  const zone = timeZone ?? ownZone;
  // Nothing asked for and nothing known: there is no time that the report could be of.
  const range = findRange(question, zone, extent);
  const about = { chain, zone, bucket, groupBy, range, extent, question };
  if (range === undefined) return { ...about, rows: [], total: addUp([], []), losses: NO_LOSSES };
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
    const rows = [...(await readCosts(query, request, { unitCosts: true, change: true, forecast: true }))];
    const whole = groupBy.length === 0 ? rows : [...(await readCosts(query, { ...request, groupBy: [] }))];
    const weights = whole.map(({ timeUs }) => pastOf(timeUs, bucket, zone, range, nowUs));
    return { ...about, rows, total: addUp(whole, weights), losses: await readLosses(query, request) };
  });
}

const NO_LOSSES: ReportLosses = { holes: 0, proven: 0n, likely: 0n };

function findRange(
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

async function readLosses(query: Query, request: CostRequest): Promise<ReportLosses> {
  const rows = await readStatistics(query, { ...request, groupBy: [] }, { losses: true });
  return [...rows].reduce<ReportLosses>(
    ({ holes, proven, likely }, row) => ({
      holes: holes + (row.holes ?? 0),
      proven: proven + (row.provenLost ?? 0n),
      likely: likely === null || row.likelyLost === undefined ? null : addKnown(likely, row.likelyLost),
    }),
    NO_LOSSES,
  );
}

function addKnown(sum: bigint, more: bigint | null): bigint | null {
  return more === null ? null : sum + more;
}

/** How much of a bucket belongs to the range and is past, in microseconds. */
function pastOf(
  startUs: bigint,
  bucket: ReportBucket,
  zone: string,
  { fromUs, toUs }: { fromUs: bigint; toUs: bigint },
  nowUs: bigint,
): number {
  const start = startUs < fromUs ? fromUs : startUs;
  const end = [nextBucket(startUs, bucket, zone), toUs, nowUs].reduce((a, b) => (a < b ? a : b));
  return end > start ? Number(end - start) : 0;
}

/** @param weights of the rows, for the mean of their coverage */
function addUp(rows: readonly CostRowFigures[], weights: readonly number[]): ReportTotal {
  const costed = rows.filter(({ submissions }) => submissions > 0n);
  const submissions = sum(rows.map((row) => row.submissions));
  const failing = rows.filter(({ failedAttempts }) => failedAttempts > 0n);
  const wasting = rows.filter(({ unreferenced }) => unreferenced > 0n);
  const units = [...new Set(rows.flatMap(({ fiatUnit }) => fiatUnit ?? []))];
  const share = (of: (row: CostRowFigures) => number): number =>
    submissions === 0n
      ? 0
      : mean(
          rows.map(of),
          rows.map((row) => Number(row.submissions)),
        );
  return {
    submissions,
    landed: sum(rows.map((row) => row.landed)),
    sizeBytes: sum(rows.map((row) => row.sizeBytes)),
    unreadable: sum(rows.map((row) => row.unreadable)),
    feeMin: atLeast(costed.map((row) => row.feeMin)),
    feeMax: atMost(costed.map((row) => row.feeMax)),
    knownFeeMax: atLeast(costed.map((row) => row.knownFeeMax)),
    fiatMin: units.length === 1 ? atLeast(costed.map((row) => row.fiatMin)) : null,
    fiatMax: units.length === 1 ? atMost(costed.map((row) => row.fiatMax)) : null,
    fiatUnit: units.length === 1 ? (units[0] ?? null) : null,
    failedAttempts: sum(rows.map((row) => row.failedAttempts)),
    failedFeeMax: atMost(failing.map((row) => row.failedFeeMax)),
    unreferenced: sum(rows.map((row) => row.unreferenced)),
    wastedFeeMin: atLeast(wasting.map((row) => row.wastedFeeMin)),
    wastedFeeMax: atMost(wasting.map((row) => row.wastedFeeMax)),
    importedShare: share((row) => row.importedShare),
    recordedShare: share((row) => row.recordedShare),
    pricedShare: share((row) => row.pricedShare),
    unknownShare: share((row) => row.unknownShare),
    coverage: mean(
      rows.map((row) => row.coverage),
      weights,
    ),
  };
}

/** The sum of what is known; null where nothing is. */
function atLeast(amounts: readonly (Decimal | null)[]): Decimal | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 ? null : known.reduce((all, amount) => all.plus(amount), Decimal.ZERO);
}

/** The sum, null where a part of it is not known, or where there is none. */
function atMost(amounts: readonly (Decimal | null)[]): Decimal | null {
  return amounts.includes(null) ? null : atLeast(amounts);
}

function sum(counts: readonly bigint[]): bigint {
  return counts.reduce((all, count) => all + count, 0n);
}

function mean(values: readonly number[], weights: readonly number[]): number {
  const whole = weights.reduce((all, weight) => all + weight, 0);
  if (whole === 0) return 0;
  return values.reduce((all, value, index) => all + value * (weights[index] ?? 0), 0) / whole;
}
