import type { Millis } from '../time.js';

/** The subject of an alert; node and chain are null if it is about no node or no chain. */
export interface AlertSubject {
  readonly rule: string;
  readonly node: string | null;
  readonly chain: string | null;
}

/** Patterns of names, one of which must match: `*` matches any characters, `?` one. Undefined: everything matches. */
export interface AlertScope {
  readonly rules?: readonly string[] | undefined;
  readonly nodes?: readonly string[] | undefined;
  readonly chains?: readonly string[] | undefined;
}

/** A time in which nothing in its scope is reported: a person's silence, or a maintenance window of the settings. */
export interface Mute {
  readonly scope: AlertScope;
  readonly when: MuteTime;
}

/** Once, or every week: `weeklyAt` counts from Monday 00:00 UTC. */
export type MuteTime =
  { readonly from: Millis; readonly until: Millis } | { readonly weeklyAt: Millis; readonly forMs: Millis };

export const WEEK_MS: Millis = 7 * 24 * 3_600_000;

/** The first Monday of Unix time. */
export const FIRST_MONDAY: Millis = 4 * 24 * 3_600_000;

/** Whether a subject is in a scope. A subject without a node is in no scope that names nodes. */
export function isInScope(scope: AlertScope, { rule, node, chain }: AlertSubject): boolean {
  return fitsOne(scope.rules, rule) && fitsOne(scope.nodes, node) && fitsOne(scope.chains, chain);
}

export function isMuted(mutes: readonly Mute[], subject: AlertSubject, now: Millis): boolean {
  return mutes.some(({ scope, when }) => holdsAt(when, now) && isInScope(scope, subject));
}

/** Whether all parts of an alert are muted now. */
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

export function holdsAt(when: MuteTime, at: Millis): boolean {
  if ('from' in when) return when.from <= at && at < when.until;
  const since = (at - FIRST_MONDAY - when.weeklyAt) % WEEK_MS;
  return (since + WEEK_MS) % WEEK_MS < when.forMs;
}

function fitsOne(patterns: readonly string[] | undefined, text: string | null): boolean {
  return patterns === undefined || (text !== null && patterns.some((pattern) => fits(pattern, text)));
}

/** The patterns that match none of the names. */
export function findIdle(patterns: readonly string[], names: readonly string[]): string[] {
  return patterns.filter((pattern) => !names.some((name) => fits(pattern, name)));
}

/** Matches in time proportional to the product of the lengths, so no pattern makes it slow. */
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
