import { Inject, Injectable } from '@nestjs/common';
import type { Decimal } from '../../domain/cost/decimal.js';
import type { PriceBook } from '../../domain/cost/price-book.js';
import { formatTime, type Micros, microsToNanos, millisToMicros, QUARTER_US } from '../../domain/time.js';
import type { Measured } from '../../statistics/read/measures.js';
import { ReadFault } from '../../statistics/read/plan/read-fault.js';
import type { ReportBucket, ReportRequest } from '../../statistics/read/plan/report-request.js';
import { ReportReader, type ReportRow } from '../../statistics/read/report.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { withSlot } from '../../platform/reads/read-request.js';
import { WeightedSemaphore } from '../../platform/reads/weighted-semaphore.js';
import type { Database } from '../../platform/sql.js';
import { readBookOfNode } from '../../statistics/prices/price-book.reader.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { tooMany } from '../errors.js';

const HOURS_US: Micros = 24n * 3_600_000_000n;
const DAYS_US: Micros = 30n * 24n * 3_600_000_000n;

/** The most histories computed at the same time: each adds up the whole record of a node. */
const PLACES = 2;
const MOST_WAITING = 32;
const WAIT_MS = 10_000;

type StatisticsPeriod = Pick<ReportRequest, 'fromUs' | 'toUs'> & { readonly bucket: ReportBucket };

/** The statistics that the specification requires and nodes do not report, from the whole record of the node. */
@Injectable()
export class NodeStatisticsQuery {
  private readonly places = new WeightedSemaphore(PLACES, {
    mostWaiting: MOST_WAITING,
    waitMs: WAIT_MS,
    full: () => tooMany('Other statistics are being computed; try again in a moment.'),
  });

  constructor(
    private readonly reports: ReportReader,
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  /**
   * Figures of the whole record, of the last 24 hours by hour, and of the last 30 days by day. They end at the last quarter hour
   * before the moment, since figures are stored by quarter hours. Null where they cannot be read. Unknown figures are null.
   */
  getHistory(node: string, at: Micros | undefined): Promise<object | null> {
    return withSlot(this.places, () => this.computeHistory(node, at));
  }

  private async computeHistory(node: string, at: Micros | undefined): Promise<object | null> {
    const nowUs = millisToMicros(this.options.clock.now());
    const toUs = at === undefined || at >= nowUs ? nowUs : at - (at % QUARTER_US);
    const rowsOf = (period: StatisticsPeriod) => this.getRows(node, period, nowUs);
    try {
      const years = await rowsOf({ bucket: 'YEAR', toUs });
      const hourly = await rowsOf({ bucket: 'HOUR', fromUs: toUs - HOURS_US, toUs });
      const daily = await rowsOf({ bucket: 'DAY', fromUs: toUs - DAYS_US, toUs });
      const book = await readBookOfNode(this.reads, node);
      const recorded = (rows: readonly PeriodRow[]): PeriodRow[] =>
        rows.map((row, index) => {
          const endUs = rows[index + 1]?.timeUs ?? toUs;
          return { ...row, bookGasPrice: bookGasPriceOf(row, endUs, book) };
        });
      return {
        until: formatTime(microsToNanos(toUs)),
        ...toTotals(recorded(years)),
        hourly: recorded(hourly).map(toTrend),
        daily: recorded(daily).map(toTrend),
      };
    } catch (error) {
      if (error instanceof ReadFault) return null;
      throw error;
    }
  }

  private async getRows(node: string, period: StatisticsPeriod, nowUs: Micros): Promise<PeriodRow[]> {
    const request = { ...period, filter: { nodes: [node] }, groupBy: [], nowUs };
    return [...(await this.reports.read(request, NAMES))];
  }
}

const NAMES = [
  ...(['attempts', 'successes', 'failures', 'successRate', 'blobCount', 'sizeBytes'] as const),
  ...(['averageBlobBytes', 'measuredBlobs', 'measuredBytes', 'gasPriceMean'] as const),
  ...(['lagCount', 'lagSumNs', 'submissionCount', 'submissionSumUs'] as const),
  ...(['inclusionLagMs', 'submissionTimeMs', 'gasMin', 'gasMax', 'feeMin', 'feeMax', 'pricedShare'] as const),
] as const;

interface PeriodRow extends ReportRow<(typeof NAMES)[number]> {
  /** From the price book. A fee is whole utia, so the price computed from fees and gas would be a little higher. */
  readonly bookGasPrice?: string | null;
}

/** The only gas price of the book that applies to all fees of a bucket; null where there are several. */
function bookGasPriceOf(
  { timeUs, pricedShare }: PeriodRow,
  endUs: Micros,
  book: PriceBook | undefined,
): string | null {
  return pricedShare === 1 ? (book?.gasPriceThroughout(timeUs, endUs)?.toString() ?? null) : null;
}

/** A time that was not monitored or is not counted yet, with no rows. */
function isUnknown({ attempts }: PeriodRow): boolean {
  return attempts === null;
}

/** Prints a bucket. Figures of a time that was not monitored are null: unknown, not zero. */
function toTrend(row: PeriodRow): object {
  const named = toFigures(row);
  const shown = isUnknown(row) ? Object.fromEntries(Object.keys(named).map((name) => [name, null])) : named;
  const { timeUs, coverage, counted } = row;
  return { time: formatTime(microsToNanos(timeUs)), ...shown, coverage, counted };
}

/** There are blobs, but no row reports a size. */
function isUnmeasured({ blobCount, measuredBlobs }: Measured<'blobCount' | 'measuredBlobs'>): boolean {
  return blobCount !== 0n && measuredBlobs === 0n;
}

function toFigures(row: PeriodRow): object {
  return {
    submissions: row.attempts,
    successes: row.successes,
    failures: row.failures,
    success_rate: row.successRate,
    blobs: row.blobCount,
    bytes: isUnmeasured(row) ? null : row.sizeBytes,
    avg_blob_size: row.averageBlobBytes,
    avg_gas_price: row.gasPriceMean,
    book_gas_price: row.bookGasPrice ?? null,
    ...averageTimes([row]),
    median_submission_time_ms: row.inclusionLagMs?.p50 ?? null,
    median_retry_time_ms: row.submissionTimeMs?.p50 ?? null,
    gas_spent_min: row.gasMin,
    gas_spent_max: row.gasMax,
    fee_utia_min: row.feeMin?.toString() ?? null,
    fee_utia_max: row.feeMax?.toString() ?? null,
  };
}

function toTotals(years: readonly PeriodRow[]): object {
  const rows = years.filter((row) => !isUnknown(row));
  if (rows.length === 0) return NO_TOTALS;
  const isWhole = years.every((row) => !isUnknown(row) && row.counted);
  const add = (pick: (row: PeriodRow) => bigint | null): bigint =>
    rows.reduce((sum, row) => sum + (pick(row) ?? 0n), 0n);
  const addKnown = (pick: (row: PeriodRow) => bigint | null): bigint | null =>
    rows.some((row) => pick(row) === null) ? null : add(pick);
  const [submissions, successes] = [add((row) => row.attempts), add((row) => row.successes)];
  const blobCount = add((row) => row.blobCount);
  const measuredBlobs = add((row) => row.measuredBlobs);
  return {
    total_submissions: submissions,
    success_rate: submissions === 0n ? null : Number(successes) / Number(submissions),
    failure_rate: submissions === 0n ? null : Number(submissions - successes) / Number(submissions),
    total_blobs: blobCount,
    total_blob_size: isUnmeasured({ blobCount, measuredBlobs }) ? null : add((row) => row.sizeBytes),
    avg_blob_size:
      measuredBlobs === 0n ? null : Number(add((row) => row.measuredBytes)) / Number(measuredBlobs),
    total_gas_spent: {
      min: addKnown((row) => row.gasMin),
      max: isWhole ? addKnown((row) => row.gasMax) : null,
    },
    total_fee_utia: {
      min: addDecimals(rows.map(({ feeMin }) => feeMin)),
      max: isWhole ? addDecimals(rows.map(({ feeMax }) => feeMax)) : null,
    },
    counted: isWhole,
    ...averageTimes(rows),
    // The latest year represents all years, since medians do not add up.
    submission_time_ms: rows.findLast((row) => row.inclusionLagMs)?.inclusionLagMs ?? null,
    retry_time_ms: rows.findLast((row) => row.submissionTimeMs)?.submissionTimeMs ?? null,
  };
}

/** The totals of a time that was not monitored. */
const NO_TOTALS = {
  total_submissions: null,
  success_rate: null,
  failure_rate: null,
  total_blobs: null,
  total_blob_size: null,
  avg_blob_size: null,
  total_gas_spent: { min: null, max: null },
  total_fee_utia: { min: null, max: null },
  ...averageTimes([]),
  submission_time_ms: null,
  retry_time_ms: null,
};

/**
 * Means, exact except for the last digit. No node reports when an attempt began. So the submission time runs from each block that
 * was carried, which is produced just before, to the success. For a batch that had failed before, the retry time runs from its
 * first attempt.
 */
function averageTimes(
  rows: readonly Measured<'lagCount' | 'lagSumNs' | 'submissionCount' | 'submissionSumUs'>[],
): object {
  const add = (name: keyof (typeof rows)[number]): number =>
    Number(rows.reduce((sum, row) => sum + (row[name] ?? 0n), 0n));
  const [lags, retries] = [add('lagCount'), add('submissionCount')];
  return {
    avg_submission_time_ms: lags === 0 ? null : add('lagSumNs') / lags / 1e6,
    avg_retry_time_ms: retries === 0 ? null : add('submissionSumUs') / retries / 1e3,
  };
}

function addDecimals(values: readonly (Decimal | null)[]): string | null {
  let sum: Decimal | undefined;
  for (const value of values) {
    if (value === null) return null;
    sum = sum === undefined ? value : sum.plus(value);
  }
  return sum?.toString() ?? null;
}
