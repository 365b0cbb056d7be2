import type { Millis } from '../time.js';
import { formatDuration } from './go-time.js';

/** What the node's claims are made from, of a row of its list. */
export interface ClaimedRow {
  /** Null where it is not known. */
  readonly blob_size: number | null;
  readonly gas_price: number;
  readonly status_code: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** What every DA answer of a node that does not submit says. */
export const NOT_AGGREGATOR = {
  is_aggregator: false,
  message: 'This node is not an aggregator and does not submit to the DA layer',
} as const;

const RECENT_ROWS = 10;
const HIGH_ERROR_RATE = 0.5;
const ELEVATED_ERROR_RATE = 0.2;
const QUIET_MS = 10 * 60_000;
const NO_SUCCESS_MS = 5 * 60_000;

/**
 * The node's statistics of its own ring, newest row first; keys in the order in which Go writes a map. Sizes are null where no
 * row tells one.
 */
export function describeStats(rows: readonly ClaimedRow[]): object {
  const isSized = rows.length === 0 || rows.some((row) => row.blob_size !== null);
  const bytes = isSized ? rows.reduce((sum, row) => sum + (row.blob_size ?? 0), 0) : null;
  const successes = rows.filter(isSuccess).length;
  const prices = rows.map((row) => row.gas_price).filter((price) => price > 0);
  return {
    avg_blob_size: bytes === null ? null : bytes / Math.max(1, rows.length),
    avg_gas_price: prices.length === 0 ? 0 : prices.reduce((sum, price) => sum + price) / prices.length,
    error_count: rows.filter(isError).length,
    success_count: successes,
    success_rate: percent(successes, rows.length, 2),
    time_range: { first: rows.at(-1)?.timestamp ?? null, last: rows[0]?.timestamp ?? null },
    total_blob_size: bytes,
    total_submissions: rows.length,
  };
}

/**
 * The node's claim of its DA layer's health. It knows too little, as the real one: it looks at the last ten rows
 * only, counts only the status `Error`, and never asks the DA layer.
 */
export function describeHealth(rows: readonly ClaimedRow[], nowMs: Millis, timestamp: string): object {
  const recent = rows.slice(0, RECENT_ROWS);
  const errors = recent.filter(isError);
  const successes = recent.filter(isSuccess);
  const judgement = judge(rows, errors.length / Math.max(1, recent.length), successes[0], nowMs);
  return {
    connection_healthy: true,
    connection_status: 'connected',
    is_healthy: judgement.isHealthy,
    issues: judgement.issues.length === 0 ? null : judgement.issues,
    metrics: {
      last_error_time: errors[0]?.timestamp ?? null,
      last_submission_time: rows[0]?.timestamp ?? null,
      last_success_time: successes[0]?.timestamp ?? null,
      recent_error_rate: percent(errors.length, recent.length, 1),
      recent_errors: errors.length,
      recent_sample_size: recent.length,
      recent_successes: successes.length,
      total_submissions: rows.length,
    },
    status: judgement.status,
    timestamp,
  };
}

interface Judgement {
  status: string;
  isHealthy: boolean;
  issues: string[];
}

function judge(
  rows: readonly ClaimedRow[],
  errorRate: number,
  lastSuccess: ClaimedRow | undefined,
  nowMs: Millis,
): Judgement {
  const [newest] = rows;
  if (!newest) return { status: 'unknown', isHealthy: true, issues: ['No submissions recorded yet'] };
  const judgement: Judgement = { status: 'healthy', isHealthy: true, issues: [] };
  const rate = `${(errorRate * 100).toFixed(1)}%`;
  if (errorRate > HIGH_ERROR_RATE) {
    Object.assign(judgement, { status: 'degraded', isHealthy: false });
    judgement.issues.push(`High error rate: ${rate}`);
  } else if (errorRate > ELEVATED_ERROR_RATE) {
    judgement.status = 'warning';
    judgement.issues.push(`Elevated error rate: ${rate}`);
  }
  const sinceSuccess = lastSuccess ? nowMs - Date.parse(lastSuccess.timestamp) : 0;
  if (!(sinceSuccess <= NO_SUCCESS_MS)) {
    Object.assign(judgement, { status: 'unhealthy', isHealthy: false });
    judgement.issues.push(`No successful submissions for ${lengthOf(sinceSuccess)}`);
  }
  const sinceAny = nowMs - Date.parse(newest.timestamp);
  if (!(sinceAny <= QUIET_MS)) {
    // Overwrites `unhealthy` while `is_healthy` stays false: the real node does so too.
    judgement.status = 'warning';
    judgement.issues.push(`No submissions for ${lengthOf(sinceAny)}`);
  }
  return judgement;
}

/** What follows from a time that cannot be read is no length: it does not count as fresh. */
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
