import { z } from 'zod';
import { ALERT_RULES } from '../domain/alerts/alert-rules.js';
import { findIdle, type AlertScope } from '../domain/alerts/alert-scope.js';
import { destinationValue } from './alert-destinations.js';
import { readGiven, rulesValue, toRules } from './alert-rules.js';
import { section } from './faults.js';
import { maintenanceValue } from './maintenance.js';
import { urlValue } from './values.js';

/** The settings of alerts. A destination alone is enough: our rules apply then. */
export const alertsValue = section({
  destinations: z
    .array(destinationValue, 'must be a list of destinations')
    .max(50, 'must have at most 50 entries')
    .superRefine((destinations, context) => {
      const ids = destinations.map(({ id }) => id);
      if (new Set(ids).size < ids.length) context.addIssue({ code: 'custom', message: 'use an id twice' });
    })
    .default([]),
  rules: rulesValue.prefault([]),
  maintenance: maintenanceValue,
  /** Called once a minute while Hindsight records. */
  heartbeat: urlValue('http:', 'https:').optional(),
})
  .superRefine(
    (given: Record<'destinations' | 'rules' | 'maintenance', unknown>, context) => {
      const [destinations, rules, maintenance] = [given.destinations, given.rules, given.maintenance];
      if (!Array.isArray(rules)) return;
      const complain = (message: string, ...path: (string | number)[]): void =>
        context.addIssue({ code: 'custom', path, message });
      if (Array.isArray(maintenance))
        for (const index of findIdleTimes(maintenance, rules))
          complain('matches no rule', 'maintenance', index, 'rules');
      if (Array.isArray(destinations))
        for (const index of findUntold(rules, destinations))
          complain('names an unknown destination', 'rules', index, 'destinations');
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
  .transform(({ rules, ...settings }) => ({ ...settings, rules: toRules(rules) }));

/** Indexes of rules that name an unknown destination. */
function findUntold(rules: readonly unknown[], destinations: readonly unknown[]): number[] {
  const ids = new Set<unknown>(destinations.map((destination) => readGiven(destination)['id']));
  return rules.flatMap((rule, index) => {
    const named = readGiven(rule)['destinations'];
    return Array.isArray(named) && named.some((id) => !ids.has(id)) ? [index] : [];
  });
}

/** Indexes of maintenance times with a rule pattern that fits no rule: a misspelt pattern would mute nothing. */
function findIdleTimes(maintenance: readonly unknown[], rules: readonly unknown[]): number[] {
  const names = [...ALERT_RULES, ...rules.map(readGiven)].map(({ name }) => String(name));
  return maintenance.flatMap((window, index) => {
    const { scope } = readGiven(window) as { readonly scope?: AlertScope };
    return findIdle(scope?.rules ?? [], names).length > 0 ? [index] : [];
  });
}
