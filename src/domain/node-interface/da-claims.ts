import { parseTime, type Millis } from '../time.js';
import { formatDuration } from './go-time.js';

/** The part of a row of its list from which the node makes its claims. */
export interface ClaimedRow {
  /** Null if unknown. */
  readonly blob_size: number | null;
  readonly gas_price: number;
  readonly status_code: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** Content of every DA answer of a node that does not submit. */
export const NOT_AGGREGATOR = {
  is_aggregator: false,
  message: 'This node is not an aggregator and does not submit to the DA layer',
} as const;

const RECENT_ROWS = 10;
const HIGH_ERROR_PERCENT = 20;
const QUIET_MS = 2 * 60_000;
const NO_SUCCESS_MS = 5 * 60_000;

/**
 * The node's statistics of its own ring, newest row first; keys in the order in which Go writes a map. Sizes are null if no
 * row has one.
 */
export function describeStats(rows: readonly ClaimedRow[]): object {
  const isSized = rows.length === 0 || rows.some((row) => row.blob_size !== null);
  const bytes = isSized ? rows.reduce((sum, row) => sum + (row.blob_size ?? 0), 0) : null;
  const successes = rows.filter(isSuccess).length;
  const prices = rows.reduce((sum, row) => sum + row.gas_price, 0);
  return {
    avg_blob_size: bytes === null ? null : bytes / Math.max(1, rows.length),
    avg_gas_price: prices / Math.max(1, rows.length),
    error_count: rows.filter(isError).length,
    success_count: successes,
    success_rate: percent(successes, rows.length, 2),
    time_range: { first: rows.at(-1)?.timestamp ?? null, last: rows[0]?.timestamp ?? null },
    total_blob_size: bytes,
    total_submissions: rows.length,
  };
}

/**
 * The node's claim about its DA layer's health, by the rules of the real node. It considers the last ten rows only, counts
 * only the status `Error`, and never asks the DA layer. If several rules apply, the last one gives the status; a warning
 * leaves `is_healthy` unchanged.
 *
 * @param rows newest first
 * @param timestamp of the answer, as it is printed
 */
export function describeHealth(rows: readonly ClaimedRow[], nowMs: Millis, timestamp: string): object {
  const recent = rows.slice(0, RECENT_ROWS);
  const errors = recent.filter(isError);
  const successes = recent.filter(isSuccess);
  const metrics = {
    last_error_time: latestOf(errors),
    last_submission_time: rows[0]?.timestamp ?? null,
    last_success_time: latestOf(successes),
    recent_error_rate: percent(errors.length, recent.length, 1),
    recent_errors: errors.length,
    recent_sample_size: recent.length,
    recent_successes: successes.length,
    total_submissions: rows.length,
  };
  const { isHealthy, issues, status } = judge(metrics, nowMs);
  return {
    connection_healthy: true,
    connection_status: 'connected',
    is_healthy: isHealthy,
    issues: issues.length === 0 ? null : issues,
    metrics,
    status,
    timestamp,
  };
}

/** The figures of a health claim that determine its status. */
interface ClaimedMetrics {
  readonly last_submission_time: string | null;
  /** Among the recent rows. */
  readonly last_success_time: string | null;
  readonly recent_errors: number;
  readonly recent_sample_size: number;
}

interface Judgement {
  status: string;
  isHealthy: boolean;
  issues: string[];
}

function judge(metrics: ClaimedMetrics, nowMs: Millis): Judgement {
  const { last_submission_time: lastSubmission, last_success_time: lastSuccess } = metrics;
  const judgement: Judgement = { status: 'healthy', isHealthy: true, issues: [] };
  const errorPercent = (100 * metrics.recent_errors) / Math.max(1, metrics.recent_sample_size);
  if (errorPercent > HIGH_ERROR_PERCENT) {
    Object.assign(judgement, { status: 'degraded', isHealthy: false });
    judgement.issues.push(`High error rate: ${errorPercent.toFixed(1)}%`);
  }
  const sinceSuccess = lastSuccess === null ? 0 : nowMs - Date.parse(lastSuccess);
  if (!(sinceSuccess <= NO_SUCCESS_MS)) {
    Object.assign(judgement, { status: 'unhealthy', isHealthy: false });
    judgement.issues.push(`No successful submissions for ${lengthOf(sinceSuccess)}`);
  }
  const sinceAny = lastSubmission === null ? 0 : nowMs - Date.parse(lastSubmission);
  if (!(sinceAny <= QUIET_MS)) {
    judgement.status = 'warning';
    judgement.issues.push(`No submissions for ${lengthOf(sinceAny)}`);
  }
  if (lastSubmission === null) {
    judgement.status = 'unknown';
    judgement.issues.push('No submissions recorded yet');
  }
  return judgement;
}

/** Whether a claim's status follows from its own figures by the known rules. */
export function followsKnownRules(claim: Readonly<Record<string, unknown>>): boolean {
  const { metrics, status, timestamp } = claim;
  if (typeof metrics !== 'object' || metrics === null || typeof timestamp !== 'string') return false;
  const given = metrics as Partial<Record<keyof ClaimedMetrics, unknown>>;
  const countOf = (value: unknown) => (typeof value === 'number' ? value : Number.NaN);
  const timeOf = (value: unknown) => (typeof value === 'string' ? value : null);
  const judged = judge(
    {
      last_submission_time: timeOf(given.last_submission_time),
      last_success_time: timeOf(given.last_success_time),
      recent_errors: countOf(given.recent_errors),
      recent_sample_size: countOf(given.recent_sample_size),
    },
    Date.parse(timestamp),
  );
  return Number.isFinite(countOf(given.recent_errors)) && judged.status === status;
}

/** The latest time, as it was sent; a time that cannot be read counts as the earliest. */
function latestOf(rows: readonly ClaimedRow[]): string | null {
  const [latest] = rows
    .map(({ timestamp }) => ({ timestamp, at: parseTime(timestamp) ?? 0n }))
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  return latest?.timestamp ?? null;
}

/** An unreadable time gives NaN, which never counts as fresh. */
function lengthOf(ms: Millis): string {
  return Number.isNaN(ms) ? 'an unknown time' : formatDuration(ms);
}

function isSuccess(row: ClaimedRow): boolean {
  return row.status_code === 'Success';
}

function isError(row: ClaimedRow): boolean {
  return row.status_code === 'Error';
}

function percent(part: number, whole: number, digits: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(digits)}%`;
}
