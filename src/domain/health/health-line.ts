import { judge, type HealthRule, type HealthState, type Limit } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import type { Millis } from '../time.js';

/** The current end of a component's line of intervals. */
export interface HealthLine {
  /** The start of the open interval and the rule that holds in it. */
  readonly from: Millis;
  readonly rule: string;
  readonly state: HealthState;
  /** The cause, for a rule that distinguishes causes. */
  readonly cause?: string | null;
  /** The latest moment that was judged. */
  readonly judgedTo: Millis;
}

/** A new verdict: another rule holds from `at` on. */
export interface VerdictChange {
  readonly at: Millis;
  readonly rule: string;
  readonly state: HealthState;
  readonly reason: string;
  /** The limit that decided, if it was a setting. */
  readonly limit: Limit | null;
}

export interface RuleInput<F> {
  readonly rules: readonly HealthRule<F>[];
  readonly facts: F;
  readonly thresholds: HealthThresholds;
  /** Up to when the log has already reported the node's state, which stays as reported. */
  readonly toldTo: Millis | null;
}

/**
 * Judges a line again after its facts have changed, or at a deadline.
 *
 * A rule that replaces a weaker one began at its own deadline, which a poll has confirmed since. A rule that remains when a
 * stronger one ends begins with the fact that ended it. No interval begins before the open one, nor in a time that the log has
 * already reported.
 *
 * @param factAt when the fact was observed that is the reason to judge again
 * @param judgeAt the moment to judge; the latest one that was judged, unless a deadline before it was proven late
 */
export function settle<F>(
  { rules, facts, thresholds, toldTo }: RuleInput<F>,
  line: HealthLine | null,
  factAt: Millis,
  judgeAt: Millis = Math.max(line?.judgedTo ?? factAt, factAt),
): { readonly line: HealthLine; readonly change?: VerdictChange } {
  const judgedTo = Math.max(line?.judgedTo ?? judgeAt, judgeAt);
  const { rule, rank, span } = judge(rules, facts, thresholds, judgeAt);
  const cause = rule.cause?.(facts) ?? null;
  if (line?.rule === rule.name && (line.cause ?? null) === cause) return { line: { ...line, judgedTo } };
  const isStronger = line !== null && rank < rules.findIndex(({ name }) => name === line.rule);
  const began = isStronger && Number.isFinite(span.from) ? span.from : factAt;
  const at = Math.max(began, line?.from ?? began, toldTo ?? began);
  const { name, state } = rule;
  const limit = rule.limit?.(facts, thresholds, at) ?? null;
  const change = { at, rule: name, state, reason: rule.reason(facts, thresholds, at), limit };
  return { line: { from: at, rule: name, state, cause, judgedTo }, change };
}
