import { duration } from './health-rule.js';
import type { HealthThresholds, ThresholdName } from './health-thresholds.js';
import type { Millis } from '../time.js';

/** The latest gaps between events of one kind, oldest first. */
export type Gaps = readonly Millis[];

/** The share of gaps that is at most "usual": long enough not to be surprised by every tenth one. */
const USUAL_SHARE = 0.9;

/** The window with one more gap; the oldest ones fall out. */
export function addGap(gaps: Gaps, gapMs: Millis, thresholds: HealthThresholds): Gaps {
  return [...gaps, Math.round(gapMs)].slice(-thresholds.usualWindow);
}

/** Whether enough gaps are known to say what is usual. */
export function isUsualKnown(gaps: Gaps, thresholds: HealthThresholds): boolean {
  return gaps.length >= thresholds.usualKnownFrom;
}

/** What gap is usual: the 90th percentile of the window, or a fixed guess until enough gaps are known. */
export function usualGap(gaps: Gaps, thresholds: HealthThresholds): Millis {
  if (!isUsualKnown(gaps, thresholds)) return thresholds.usualUnknownMs;
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

/** The same in words, `1 s between blocks is usual`, or that it is assumed. */
export function usualText(gaps: Gaps, what: string, thresholds: HealthThresholds): string {
  const usual = `${duration(usualGap(gaps, thresholds))} between ${what} is`;
  return isUsualKnown(gaps, thresholds)
    ? `${usual} usual`
    : `${usual} assumed until ${thresholds.usualKnownFrom} gaps are known, and ${gaps.length} are`;
}

/** Which of two bounds a limit is at, or else the factor that made it. */
export function decidedBy(
  limitMs: Millis,
  bounds: readonly ThresholdName[],
  factor: ThresholdName,
  thresholds: HealthThresholds,
): ThresholdName {
  return bounds.find((name) => thresholds[name] === limitMs) ?? factor;
}

/** A multiple of the usual gap, kept between two bounds; the lower one wins. */
export function usualLimit(usualMs: Millis, factor: number, atLeastMs: Millis, atMostMs = Infinity): Millis {
  return Math.max(atLeastMs, Math.min(factor * usualMs, atMostMs));
}
