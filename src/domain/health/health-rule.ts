import type { HealthThresholds, ThresholdName } from './health-thresholds.js';
import type { Millis } from '../time.js';

export type HealthState = 'HEALTHY' | 'WARNING' | 'CRITICAL' | 'UNKNOWN';
/**
 * The components that have health: a node's DA submissions, the node, and the systems behind it where the settings name them.
 * `COVERAGE`, whether we saw all of a node, is our own: no rule about the node decides it.
 */
export const HEALTH_COMPONENTS = ['DA', 'NODE', 'DA_NODE', 'EXECUTION', 'COVERAGE'] as const;
export type HealthComponent = (typeof HEALTH_COMPONENTS)[number];
/** The components that rules about the node decide. */
export type JudgedComponent = Exclude<HealthComponent, 'COVERAGE'>;
export const JUDGED_COMPONENTS = HEALTH_COMPONENTS.filter(
  (each): each is JudgedComponent => each !== 'COVERAGE',
);

/**
 * A span of time, on the observer's clock, in which a rule holds if nothing new is seen.
 * It may lie in the future: then `from` is a deadline.
 */
export interface RuleSpan {
  readonly from: Millis;
  /** The exclusive end; undefined: until the facts change. */
  readonly until?: Millis;
  /** Polls have proven silence up to here. The span counts only once this reaches `from`. Undefined: no poll is needed. */
  readonly proven?: Millis | null;
}

/** The limit that a rule compared with: the name of the setting in `hindsight.yaml`, and its value. */
export interface Limit {
  readonly setting: string;
  /** Milliseconds; a number of attempts for `failuresCount`. */
  readonly limit: number;
}

/** One row of the table of health rules: a pure function of facts and time. */
export interface HealthRule<F> {
  readonly name: string;
  readonly state: HealthState;
  /** The condition in words, for the documentation. */
  readonly when: string;
  spans(facts: F, thresholds: HealthThresholds): readonly RuleSpan[];
  /** For the person whom it wakes: what is wrong, with the numbers that decided, as they were at `at`. */
  reason(facts: F, thresholds: HealthThresholds, at: Millis): string;
  /** The reason once the interval is over, if worded differently; facts are as of the last moment at which the rule held. */
  endReason?(facts: F, thresholds: HealthThresholds, at: Millis): string;
  /** Why it holds, in a word that does not change with numbers: another cause begins a new interval. */
  cause?(facts: F): string | null;
  /** The limit that decided, if it was a setting. */
  limit?(facts: F, thresholds: HealthThresholds, at: Millis): Limit | undefined;
}

const NOW: readonly RuleSpan[] = [{ from: -Infinity }];
/** The spans of a rule that has no deadline: it holds as soon as the facts say so. */
export const when = (condition: boolean): readonly RuleSpan[] => (condition ? NOW : []);
export const maybe = (...spans: (RuleSpan | undefined)[]): readonly RuleSpan[] =>
  spans.filter((span) => span !== undefined);

export interface RuleVerdict<F> {
  readonly rule: HealthRule<F>;
  readonly rank: number;
  readonly span: RuleSpan;
}

export function isActive(span: RuleSpan, at: Millis): boolean {
  const isProven = span.proven === undefined || (span.proven !== null && span.proven >= span.from);
  return span.from <= at && isProven && (span.until === undefined || at < span.until);
}

/**
 * The first rule that holds at `at`.
 *
 * @throws Error if no rule holds: the last rule of a table must always hold
 */
export function judge<F>(
  rules: readonly HealthRule<F>[],
  facts: F,
  thresholds: HealthThresholds,
  at: Millis,
): RuleVerdict<F> {
  for (const [rank, rule] of rules.entries()) {
    const span = rule.spans(facts, thresholds).find((candidate) => isActive(candidate, at));
    if (span) return { rule, rank, span };
  }
  throw new Error('The last health rule must hold always');
}

/** The first moment after `after` at which time alone may change the verdict; undefined if there is none. */
export function nextDeadline<F>(
  rules: readonly HealthRule<F>[],
  facts: F,
  thresholds: HealthThresholds,
  after: Millis,
): Millis | undefined {
  const moments = rules
    .flatMap((rule) => rule.spans(facts, thresholds))
    .flatMap(({ from, until }) => (until === undefined ? [from] : [from, until]))
    .filter((moment) => moment > after && Number.isFinite(moment));
  return moments.length > 0 ? Math.min(...moments) : undefined;
}

/** The limit `value` of the setting `name`, without the unit that people do not see in its name. */
export function limitBy(name: ThresholdName, value: number): Limit {
  return { setting: name.replace(/Ms$/, ''), limit: value };
}

/** A duration for people: `6.2 s`, `3 min 20 s`, `1 min`, `2 h 5 min`, `2 d 4 h`. */
export function duration(ms: Millis): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return twoUnits(minutes, 'min', Math.floor(seconds % 60), 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return twoUnits(hours, 'h', minutes % 60, 'min');
  return twoUnits(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** The latest gaps between events of one kind, in milliseconds, oldest first. */
export type Gaps = readonly Millis[];

/** The share of gaps that are at most "usual", so that only one gap in ten surprises. */
const USUAL_SHARE = 0.9;

/** Adds a gap to the window; the oldest ones drop out. */
export function addGap(gaps: Gaps, gapMs: Millis, thresholds: HealthThresholds): Gaps {
  return [...gaps, Math.round(gapMs)].slice(-thresholds.usualWindow);
}

/** Whether enough gaps are known to say what is usual. */
export function isUsualKnown(gaps: Gaps, thresholds: HealthThresholds): boolean {
  return gaps.length >= thresholds.usualKnownFrom;
}

/** The usual gap: the 90th percentile of the window. Until enough gaps are known: a fixed guess, if that is longer. */
export function usualGap(gaps: Gaps, thresholds: HealthThresholds): Millis {
  const seen = seenGap(gaps);
  return isUsualKnown(gaps, thresholds) ? seen : Math.max(seen, thresholds.usualUnknownMs);
}

function seenGap(gaps: Gaps): Millis {
  let usual = USUAL.get(gaps);
  if (usual === undefined) {
    const sorted = Float64Array.from(gaps).sort();
    usual = sorted[Math.ceil(USUAL_SHARE * sorted.length) - 1] ?? 0;
    USUAL.set(gaps, usual);
  }
  return usual;
}

/** Caches the usual gap of a window: windows never change, and every rule needs the same ones again. */
const USUAL = new WeakMap<Gaps, number>();

/** The usual gap in words: `blocks usually 1 s apart`, or `assumed to be` while it is not known. */
export function usualText(gaps: Gaps, what: string, thresholds: HealthThresholds): string {
  const apart = `${duration(usualGap(gaps, thresholds))} apart`;
  return isUsualKnown(gaps, thresholds) ? `${what} usually ${apart}` : `${what} assumed to be ${apart}`;
}

/** The setting that decided a limit: the bound that it equals, or else the factor. */
export function decidedBy(
  limitMs: Millis,
  bounds: readonly ThresholdName[],
  factor: ThresholdName,
  thresholds: HealthThresholds,
): ThresholdName {
  return bounds.find((name) => thresholds[name] === limitMs) ?? factor;
}

/** A gap of up to this many usual gaps is never too long, whatever the upper bound. */
const NEVER_LONG_FACTOR = 2;

/** A multiple of the usual gap between two bounds. The lower one wins, and twice the usual gap wins over the upper one. */
export function usualLimit(usualMs: Millis, factor: number, atLeastMs: Millis, atMostMs = Infinity): Millis {
  return Math.max(atLeastMs, Math.min(factor * usualMs, Math.max(atMostMs, NEVER_LONG_FACTOR * usualMs)));
}
