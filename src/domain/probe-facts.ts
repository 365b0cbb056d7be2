import type { LatencySummary, ProbeEvents } from './events.js';

/** Sums up latencies in milliseconds; null without any. Percentiles are the nearest measured value above. */
export function summariseLatency(values: readonly number[]): LatencySummary | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [minMs] = sorted;
  const maxMs = sorted.at(-1);
  if (minMs === undefined || maxMs === undefined) return null;
  const percentile = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? maxMs;
  const sum = sorted.reduce((total, value) => total + value, 0);
  return {
    count: sorted.length,
    minMs,
    meanMs: Math.round((sum / sorted.length) * 10) / 10,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    maxMs,
  };
}

export type ProbeFact = Omit<ProbeEvents['ProbeChanged'], 'looks' | 'probe'>;

/** Reduces a probe's result to the fact. Latency is null without an answer. */
export function toProbeFact(result: ProbeFact): ProbeFact {
  const { outcome, statusCode, detail, latencyMs } = result;
  return { outcome, statusCode, detail, latencyMs: statusCode === null ? null : latencyMs };
}

/**
 * Whether the node could be reached: its own answer proves it, whatever it says. An answer in its place does not: a
 * gateway's error is a failure, and a page or a redirect leaves open whether the node is behind it (`INVALID`).
 */
export function reachabilityOf(...results: readonly ProbeFact[]): ProbeFact {
  const isOwn = ({ outcome, statusCode }: ProbeFact) => statusCode !== null && outcome !== 'INVALID';
  const answered = results.find(isOwn);
  if (answered) return { outcome: 'OK', statusCode: null, detail: '', latencyMs: answered.latencyMs };
  const isGatewayError = ({ statusCode }: ProbeFact) => (statusCode ?? 0) >= 500;
  const failed = results.find(({ statusCode }) => statusCode === null) ?? results.find(isGatewayError);
  const [first] = results;
  const found = failed ?? first;
  return {
    outcome: failed?.outcome === 'INVALID' ? 'FAILED' : (found?.outcome ?? 'FAILED'),
    statusCode: null,
    detail: found?.detail ?? '',
    latencyMs: null,
  };
}

/** Statuses with which a router reports that nothing is there. */
const NOTHING_THERE: ReadonlySet<number | null> = new Set([404, 405, 410]);

/** Whether a router answers in the node's place that nothing is there. */
export function isNothingThere({ outcome, statusCode }: Pick<ProbeFact, 'outcome' | 'statusCode'>): boolean {
  return outcome === 'INVALID' && NOTHING_THERE.has(statusCode);
}

/**
 * Like {@link reachabilityOf}, but knows whether the node offered its probes before. If it did, and an ingress now answers
 * for list and blocks too that nothing is there, the node is away. At an address where no node ever answered, that is
 * unknown.
 *
 * @param before the fact recorded last; undefined before the first poll
 */
export function reachabilityAfter(
  before: ProbeFact | undefined,
  ...results: readonly ProbeFact[]
): ProbeFact {
  const found = reachabilityOf(...results);
  const wasHidden = before === undefined || before.outcome === 'INVALID';
  return wasHidden || !results.every(isNothingThere) ? found : { ...found, outcome: 'FAILED' };
}

/**
 * Whether a probe's result differs from the one recorded last. Numbers within a text may change freely.
 *
 * @param isDetailNews whether another text alone is news
 */
export function isProbeNews(known: ProbeFact | undefined, now: ProbeFact, isDetailNews = true): boolean {
  if (!known) return true;
  return (
    known.outcome !== now.outcome ||
    known.statusCode !== now.statusCode ||
    (known.catchingUp ?? null) !== (now.catchingUp ?? null) ||
    (isDetailNews && withoutNumbers(known.detail) !== withoutNumbers(now.detail))
  );
}

function withoutNumbers(text: string): string {
  return text.replace(/\d+/g, '#');
}
