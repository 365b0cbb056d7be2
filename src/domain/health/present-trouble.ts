import { lineOf, type HealthFold } from './health-fold.js';
import type { HealthComponent } from './health-rule.js';
import { readThresholds } from './health-thresholds.js';
import { findTroubleRule } from './trouble-reason.js';
import { isTroubled, type TroubledState } from './trouble.js';
import { WRITTEN_WITHIN_MS } from './unwatched.js';
import type { Millis } from '../time.js';

/** Ongoing trouble of a component, in current words. */
export interface PresentTrouble {
  readonly component: HealthComponent;
  readonly rule: string;
  readonly state: TroubledState;
  /** With the current cause, count and duration; an interval has those of its start. */
  readonly reason: string;
}

/**
 * The current trouble of a node's component; undefined if there is none.
 *
 * @param fold as of the latest event of the node
 * @param own the thresholds set for its chain, as stored; null if there are none
 * @param now on the observer's clock; trouble is not known to last long after the latest poll
 */
export function findPresentTrouble(
  component: HealthComponent,
  fold: HealthFold,
  own: Readonly<Record<string, number>> | null,
  now: Millis,
): PresentTrouble | undefined {
  if (component === 'COVERAGE') return undefined;
  const { line, polledAt } = lineOf(fold, component);
  if (line === null || !isTroubled(line.state)) return undefined;
  const rule = findTroubleRule(component, line);
  if (rule === undefined) return undefined;
  const thresholds = readThresholds(own ?? {});
  const knownTo = polledAt ?? line.judgedTo;
  const isWatched = now - knownTo < WRITTEN_WITHIN_MS + thresholds.notWatchedAfterMs;
  const reason = rule.reason(fold, thresholds, isWatched ? Math.max(now, knownTo) : knownTo);
  return { component, rule: line.rule, state: line.state, reason };
}
