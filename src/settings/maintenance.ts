import { z } from 'zod';
import type { Mute } from '../domain/alerts/alert-scope.js';
import { patternsValue } from './alert-rules.js';
import { section } from './faults.js';
import { durationValue, instantValue } from './values.js';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** `Sun 02:00`, UTC, as milliseconds since Monday. */
const weeklyValue = z.string('must be like Sun 02:00').transform((text, context) => {
  const [, day, hour, minute] = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  const index = DAYS.findIndex((name) => name === day);
  if (index >= 0) return ((index * 24 + Number(hour)) * 60 + Number(minute)) * 60_000;
  context.addIssue('must be like Sun 02:00');
  return z.NEVER;
});

const LONGEST_WEEKLY_MS = 6 * 24 * 3_600_000;

const windowValue = section({
  from: instantValue.optional(),
  to: instantValue.optional(),
  weekly: weeklyValue.optional(),
  for: durationValue.refine((ms) => ms > 0, 'must be more than 0').optional(),
  rules: patternsValue.optional(),
  nodes: patternsValue.optional(),
  chains: patternsValue.optional(),
}).transform(({ from, to, weekly, for: forMs, ...scope }, context): Mute => {
  const complaint = (message: string): never => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (from !== undefined && to !== undefined && weekly === undefined && forMs === undefined) {
    if (from >= to) return complaint('must end after it begins');
    return { scope, when: { from: Date.parse(from), until: Date.parse(to) } };
  }
  if (weekly === undefined || forMs === undefined || (from ?? to) !== undefined)
    return complaint('must have from and to, or weekly and for');
  if (forMs > LONGEST_WEEKLY_MS) return complaint('must last at most six days of a week');
  return { scope, when: { weeklyAt: weekly, forMs } };
});

/** Times in which no alert within their scope is sent; without a scope, no alert at all. */
export const maintenanceValue = z
  .array(windowValue, 'must be a list of times')
  .max(500, 'must have at most 500 entries')
  .default([]);
