import type { Millis } from '../time.js';
import type { HealthState } from './health-rule.js';

/** Calm that is shorter joins two troubles into one. */
export const QUIET_MS: Millis = 300_000;

/** States in which something is the matter. */
export const TROUBLED_STATES = ['WARNING', 'CRITICAL'] as const;
export type TroubledState = (typeof TROUBLED_STATES)[number];

/** Rules of health that say that nothing is known: they neither begin nor end trouble. */
export const BLIND_RULES: ReadonlySet<string> = new Set([
  'not-watched',
  'unreachable',
  'not-reached',
  'invalid',
]);

/** Rules of the DA component that say that the chain's finality stands still: what begins with them is of the chain. */
export const FINALITY_RULES = ['inclusion-late', 'frozen'] as const;

/** What an incident is of: a node's DA, a node, a chain's finality, or our own coverage of a node. */
export const INCIDENT_SUBJECTS = ['DA', 'NODE', 'FINALITY', 'COVERAGE'] as const;
export type IncidentSubject = (typeof INCIDENT_SUBJECTS)[number];

/** Whether something is the matter. */
export function isTroubled(state: HealthState): state is TroubledState {
  return state === 'WARNING' || state === 'CRITICAL';
}

/** Whether it neither begins nor ends trouble, as nothing is known. */
export function isBlind({ state, rule }: { readonly state: HealthState; readonly rule: string }): boolean {
  return state === 'UNKNOWN' && BLIND_RULES.has(rule);
}
