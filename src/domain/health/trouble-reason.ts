import { DA_RULES } from './health-da.js';
import { DA_NODE_RULES } from './da-node-rules.js';
import { EXECUTION_RULES } from './execution-rules.js';
import type { HealthFold } from './health-fold.js';
import { NODE_RULES } from './health-node.js';
import type { HealthComponent, HealthRule, HealthState } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import { isTroubled } from './trouble.js';
import type { Millis } from '../time.js';

/** The end of a line, or an interval of it. */
interface Verdict {
  readonly rule: string;
  readonly state: HealthState;
}

export const RULES_OF: Readonly<Record<HealthComponent, readonly HealthRule<HealthFold>[]>> = {
  DA: DA_RULES,
  NODE: NODE_RULES,
  DA_NODE: DA_NODE_RULES,
  EXECUTION: EXECUTION_RULES,
  COVERAGE: [],
};

/** The rule behind a verdict, if it means trouble; undefined for every other. Rules of different states may share a name. */
export function findTroubleRule(
  component: HealthComponent,
  { rule: name, state }: Verdict,
): HealthRule<HealthFold> | undefined {
  return RULES_OF[component].find((rule) => rule.name === name && rule.state === state && isTroubled(state));
}

/**
 * The reason of an interval of trouble once it is over; undefined for an interval without trouble.
 *
 * @param facts as of the last moment at which its rule held
 * @param at its end
 */
export function endReasonOf(
  component: HealthComponent,
  verdict: Verdict,
  facts: HealthFold,
  thresholds: HealthThresholds,
  at: Millis,
): string | undefined {
  const rule = findTroubleRule(component, verdict);
  return rule?.endReason?.(facts, thresholds, at) ?? rule?.reason(facts, thresholds, at);
}
