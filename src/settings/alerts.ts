import { z } from 'zod';
import { ALERT_RULES } from '../domain/alerts/alert-rules.js';
import { findIdle, type AlertScope } from '../domain/alerts/alert-scope.js';
import type { AlertDestination } from '../domain/alerts/notice-request.js';
import { readGiven, rulesValue, toRules } from './alert-rules.js';
import { section } from './faults.js';
import { maintenanceValue } from './maintenance.js';
import { apiKeyValue, durationValue, textLike, urlValue } from './values.js';

const KINDS = [
  'webhook',
  'slack',
  'alertmanager',
  'email',
] as const satisfies readonly AlertDestination['kind'][];
const SHORTEST_REMIND_MS = 300_000;
const address = urlValue('http:', 'https:').optional();

const mailAddress = z
  .string('must be a text')
  .regex(/^[^\s@<>,;:"()[\]\\]{1,64}@[A-Za-z0-9.-]{1,190}$/, 'must be one mail address like ops@example.org')
  .optional();

const smtpAddress = urlValue('smtp:', 'smtps:').refine((url) => new URL(url).hostname !== '', {
  error: 'must name a server',
  when: ({ issues }) => issues.length === 0,
});

/** A destination of messages: exactly one of its kinds is given, with the address as its value. */
const destinationValue = section({
  id: textLike(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores'),
  webhook: address,
  slack: address,
  alertmanager: address,
  email: mailAddress,
  smtp: smtpAddress.optional(),
  from: mailAddress,
  secret: apiKeyValue.optional(),
  /** How long after a message a lasting alert is sent again. */
  remind: durationValue.refine((ms) => ms >= SHORTEST_REMIND_MS, 'must be at least 5m').optional(),
}).transform(({ id, secret, smtp, from, remind: remindMs, ...addresses }, context): AlertDestination => {
  const [kind, another] = KINDS.filter((name) => addresses[name] !== undefined);
  const to = kind && addresses[kind];
  const complaint = (message: string): void => context.addIssue({ code: 'custom', message });
  if (secret !== undefined && kind !== 'webhook') complaint('has a secret, which only a webhook can have');
  if ((smtp ?? from) !== undefined && kind !== 'email')
    complaint('has smtp or from, which only email can have');
  if (kind === undefined || to === undefined || another !== undefined) {
    complaint(`must have one of ${KINDS.join(', ')}`);
    return z.NEVER;
  }
  if (kind !== 'email') return { id, kind, url: to, secret, remindMs };
  if (smtp !== undefined && from !== undefined) return { id, kind, url: smtp, from, to, remindMs };
  complaint('must have smtp and from in addition to email');
  return z.NEVER;
});

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
  heartbeat: address,
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
