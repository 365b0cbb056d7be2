import type { LatencySummary } from './events.js';

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
