import { DA_RULES } from './health-da.js';
import type { DaInputs } from './health-da-limits.js';
import { NODE_RULES } from './health-node.js';
import type { HealthComponent, HealthRule } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import { isTroubled } from './trouble.js';
import type { Millis } from '../time.js';

/** The rule of a component by its name, if it means trouble; undefined for every other. */
export function findTroubleRule(component: HealthComponent, name: string): HealthRule<DaInputs> | undefined {
  if (component === 'COVERAGE') return undefined;
  const rules: readonly HealthRule<DaInputs>[] = component === 'DA' ? DA_RULES : NODE_RULES;
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
  facts: DaInputs,
  thresholds: HealthThresholds,
  at: Millis,
): string | undefined {
  const rule = findTroubleRule(component, name);
  return rule?.endReason?.(facts, thresholds, at) ?? rule?.reason(facts, thresholds, at);
}
