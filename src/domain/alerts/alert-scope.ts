import type { Millis } from '../time.js';

/** What something is said of: nulls where it is of no node, or of no chain. */
export interface AlertSubject {
  readonly rule: string;
  readonly node: string | null;
  readonly chain: string | null;
}

/** Patterns of names, of which one must fit: `*` stands for any characters, `?` for one. Left out: everything fits. */
export interface AlertScope {
  readonly rules?: readonly string[] | undefined;
  readonly nodes?: readonly string[] | undefined;
  readonly chains?: readonly string[] | undefined;
}

/** A time in which nobody is told of what is in its scope: somebody's silence, or a maintenance window of the settings. */
export interface Mute {
  readonly scope: AlertScope;
  readonly when: MuteTime;
}

/** Once, or each week: `weeklyAt` counts from Monday 00:00 UTC. */
export type MuteTime =
  { readonly from: Millis; readonly until: Millis } | { readonly weeklyAt: Millis; readonly forMs: Millis };

export const WEEK_MS: Millis = 7 * 24 * 3_600_000;

/** The first Monday of Unix time. */
export const FIRST_MONDAY: Millis = 4 * 24 * 3_600_000;

/** Tells whether a subject is in a scope. What is of no node is in none that names nodes. */
export function isInScope(scope: AlertScope, { rule, node, chain }: AlertSubject): boolean {
  return fitsOne(scope.rules, rule) && fitsOne(scope.nodes, node) && fitsOne(scope.chains, chain);
}

/** Tells whether nobody is told of a subject now. */
export function isMuted(mutes: readonly Mute[], subject: AlertSubject, now: Millis): boolean {
  return mutes.some(({ scope, when }) => holdsAt(when, now) && isInScope(scope, subject));
}

/** Tells whether nobody is told of any part of an alert now. */
export function isAlertMuted(
  mutes: readonly Mute[],
  {
    rule,
    nodes,
    chain,
  }: { readonly rule: string; readonly nodes: readonly string[]; readonly chain: string | null },
  now: Millis,
): boolean {
  const parts = nodes.length > 0 ? nodes : [null];
  return parts.every((node) => isMuted(mutes, { rule, node, chain }, now));
}

/** Tells whether a mute holds at a moment. */
export function holdsAt(when: MuteTime, at: Millis): boolean {
  if ('from' in when) return when.from <= at && at < when.until;
  const since = (at - FIRST_MONDAY - when.weeklyAt) % WEEK_MS;
  return (since + WEEK_MS) % WEEK_MS < when.forMs;
}

function fitsOne(patterns: readonly string[] | undefined, text: string | null): boolean {
  return patterns === undefined || (text !== null && patterns.some((pattern) => fits(pattern, text)));
}

/** The patterns that fit none of the names. */
export function findIdle(patterns: readonly string[], names: readonly string[]): string[] {
  return patterns.filter((pattern) => !names.some((name) => fits(pattern, name)));
}

/** Compares in the time of their lengths multiplied, whatever the pattern: no pattern makes it slow. */
function fits(pattern: string, text: string): boolean {
  let [at, place, star, starPlace] = [0, 0, -1, 0];
  while (place < text.length) {
    if (pattern[at] === '*') [star, starPlace, at] = [at, place, at + 1];
    else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[place])) {
      at += 1;
      place += 1;
    } else if (star < 0) return false;
    else {
      starPlace += 1;
      [at, place] = [star + 1, starPlace];
    }
  }
  return /^\**$/.test(pattern.slice(at));
}
