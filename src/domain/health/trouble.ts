import type { Millis } from '../time.js';

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
