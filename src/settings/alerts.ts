import { z } from 'zod';
import type { AlertDestination } from '../domain/alerts/notice-request.js';
import { section } from './faults.js';
import { urlValue } from './values.js';

const KINDS = ['webhook', 'slack', 'alertmanager'] as const satisfies readonly AlertDestination['kind'][];
const address = urlValue('http:', 'https:').optional();

/** One place where people are told: exactly one of its kinds is given, with the address as its value. */
const destinationValue = section({
  id: z
    .string('must be a text')
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores'),
  webhook: address,
  slack: address,
  alertmanager: address,
  secret: z
    .string('must be a text')
    .regex(/^[\x21-\x7e]{16,200}$/, 'must have 16 to 200 visible characters without spaces')
    .optional(),
}).transform(({ id, secret, ...urls }, context): AlertDestination => {
  const [kind, another] = KINDS.filter((name) => urls[name] !== undefined);
  const url = kind && urls[kind];
  const complaint = (message: string): void => context.addIssue({ code: 'custom', message });
  if (secret !== undefined && kind !== 'webhook') complaint('has a secret, which only a webhook takes');
  if (kind === undefined || url === undefined || another !== undefined) {
    complaint(`must have one of ${KINDS.join(', ')}`);
    return z.NEVER;
  }
  return { id, kind, url, secret };
});

/** The settings of alerts. */
export const alertsValue = section({
  destinations: z
    .array(destinationValue, 'must be a list of destinations')
    .max(50, 'must have at most 50 entries')
    .superRefine((destinations, context) => {
      const ids = destinations.map(({ id }) => id);
      if (new Set(ids).size < ids.length) context.addIssue({ code: 'custom', message: 'use an id twice' });
    })
    .default([]),
  /** Asked once a minute while Hindsight records. */
  heartbeat: address,
});
