import type { HealthThresholds } from './health-thresholds.js';

/** The latest gaps between events of one kind, in milliseconds, oldest first. */
export type Gaps = readonly number[];

/** The share of gaps that is at most "usual": long enough not to be surprised by every tenth one. */
const USUAL_SHARE = 0.9;

/** The window with one more gap; the oldest ones fall out. */
export function addGap(gaps: Gaps, gapMs: number, thresholds: HealthThresholds): Gaps {
  return [...gaps, Math.round(gapMs)].slice(-thresholds.usualWindow);
}

/** What gap is usual: the 90th percentile of the window, or a fixed guess until enough gaps are known. */
export function usualGap(gaps: Gaps, thresholds: HealthThresholds): number {
  if (gaps.length < thresholds.usualKnownFrom) return thresholds.usualUnknownMs;
  let usual = USUAL.get(gaps);
  if (usual === undefined) {
    const sorted = Float64Array.from(gaps).sort();
    usual = sorted[Math.ceil(USUAL_SHARE * sorted.length) - 1] ?? thresholds.usualUnknownMs;
    USUAL.set(gaps, usual);
  }
  return usual;
}

/** Windows never change, and every rule asks for the same ones again. */
const USUAL = new WeakMap<Gaps, number>();

/** A multiple of the usual gap, kept between two bounds; the lower one wins. */
export function usualLimit(usualMs: number, factor: number, atLeastMs: number, atMostMs = Infinity): number {
  return Math.max(atLeastMs, Math.min(factor * usualMs, atMostMs));
}
