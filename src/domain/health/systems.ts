import { DA_NODE_RULES } from './da-node-rules.js';
import { EXECUTION_RULES } from './execution-rules.js';
import type { HealthFold } from './health-fold.js';
import type { HealthRule } from './health-rule.js';

type SystemRules = readonly HealthRule<HealthFold>[];

/** The components that are systems behind the node, each with its member of the fold and its rules. */
export const SYSTEMS: {
  readonly DA_NODE: { readonly member: 'daNode'; readonly rules: SystemRules };
  readonly EXECUTION: { readonly member: 'execution'; readonly rules: SystemRules };
} = {
  DA_NODE: { member: 'daNode', rules: DA_NODE_RULES },
  EXECUTION: { member: 'execution', rules: EXECUTION_RULES },
};
export type SystemComponent = keyof typeof SYSTEMS;
export const SYSTEM_COMPONENTS = Object.keys(SYSTEMS) as SystemComponent[];

export function isSystem(component: string): component is SystemComponent {
  return Object.hasOwn(SYSTEMS, component);
}
