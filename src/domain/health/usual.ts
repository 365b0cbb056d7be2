import type { HealthThresholds } from './health-thresholds.js';
import type { Millis } from '../time.js';

/** The latest gaps between events of one kind, oldest first. */
export type Gaps = readonly Millis[];

/** The share of gaps that is at most "usual": long enough not to be surprised by every tenth one. */
const USUAL_SHARE = 0.9;

/** The window with one more gap; the oldest ones fall out. */
export function addGap(gaps: Gaps, gapMs: Millis, thresholds: HealthThresholds): Gaps {
  return [...gaps, Math.round(gapMs)].slice(-thresholds.usualWindow);
}

/** What gap is usual: the 90th percentile of the window, or a fixed guess until enough gaps are known. */
export function usualGap(gaps: Gaps, thresholds: HealthThresholds): Millis {
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
export function usualLimit(usualMs: Millis, factor: number, atLeastMs: Millis, atMostMs = Infinity): Millis {
  return Math.max(atLeastMs, Math.min(factor * usualMs, atMostMs));
}
