import { DA_RULES } from './health-da.js';
import { DA_NODE_RULES } from './da-node-rules.js';
import { EXECUTION_RULES } from './execution-rules.js';
import type { HealthFold } from './health-fold.js';
import { NODE_RULES } from './health-node.js';
import type { HealthComponent, HealthRule } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import { isTroubled } from './trouble.js';
import type { Millis } from '../time.js';

const RULES: Readonly<Record<HealthComponent, readonly HealthRule<HealthFold>[]>> = {
  DA: DA_RULES,
  NODE: NODE_RULES,
  DA_NODE: DA_NODE_RULES,
  EXECUTION: EXECUTION_RULES,
  COVERAGE: [],
};

/** The rule of a component by its name, if it means trouble; undefined for every other. */
export function findTroubleRule(
  component: HealthComponent,
  name: string,
): HealthRule<HealthFold> | undefined {
  const rules: readonly HealthRule<HealthFold>[] = RULES[component];
  return rules.find((rule) => rule.name === name && isTroubled(rule.state));
}

/**
 * The reason of an interval of trouble once it is over; undefined for an interval without trouble.
 *
 * @param facts as of the last moment at which its rule held
 * @param at its end
 */
export function endReasonOf(
  component: HealthComponent,
  name: string,
  facts: HealthFold,
  thresholds: HealthThresholds,
  at: Millis,
): string | undefined {
  const rule = findTroubleRule(component, name);
  return rule?.endReason?.(facts, thresholds, at) ?? rule?.reason(facts, thresholds, at);
}
