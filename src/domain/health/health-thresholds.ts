import type { Millis } from '../time.js';

/**
 * Every number that the health rules use. Milliseconds, counts, or factors; each can be set per chain under its name here.
 */
export interface HealthThresholds {
  /** No look for this long: not watched. Must be longer than the longest poll interval. */
  readonly notWatchedAfterMs: Millis;
  /** A look that fails this long after the last good one: unreachable. */
  readonly unreachableAfterMs: Millis;

  /** This many failed attempts in a row … */
  readonly failingCount: number;
  /** … without a success for `failingUsualFactor` × the usual gap between successes, but at least this: failing. */
  readonly failingAfterMs: Millis;
  readonly failingUsualFactor: number;
  readonly failingAtMostMs: Millis;

  /** This many successes since the inclusion frontier moved last … */
  readonly frozenCount: number;
  /** … the first of them `frozenUsualFactor` × the usual gap between advances ago, but at least this: frozen. */
  readonly frozenAfterMs: Millis;
  readonly frozenUsualFactor: number;
  readonly frozenAtMostMs: Millis;
  /** Inclusion is late after this share of the time for frozen. */
  readonly inclusionLateShare: number;

  /** Blocks wait and no attempt succeeds for `silentUsualFactor` × the usual gap, but at least this: silent. */
  readonly silentAfterMs: Millis;
  readonly silentUsualFactor: number;
  readonly silentAtMostMs: Millis;

  /** This many failures … */
  readonly failuresCount: number;
  /** … among this many latest attempts: a warning. */
  readonly failuresOf: number;

  /** A gap between successes of `slowUsualFactor` × the usual one, but at least this: slow. */
  readonly slowAfterMs: Millis;
  readonly slowUsualFactor: number;
  /** How long the warning stays after such a gap has ended, so that it does not flap. */
  readonly slowHoldMs: Millis;

  /** The head stands still for `headStillUsualFactor` × the usual block interval, but at least this. */
  readonly headStillAfterMs: Millis;
  readonly headStillUsualFactor: number;
  /** The longest block interval that the chain is configured for (lazy chains); the head may stand still for at least this. */
  readonly longestBlockIntervalMs: Millis;
  /** The head is late after this share of the time for standing still. */
  readonly headLateShare: number;
  /** The node says it is catching up, and its head moves, for this long: a warning. */
  readonly catchingUpAfterMs: Millis;

  /** The node's claim contradicts us for this long, a poll of the list: the difference is recorded. */
  readonly claimDiffersAfterMs: Millis;

  /** Taken for "usual" until enough gaps are known. */
  readonly usualUnknownMs: Millis;
  /** Gaps that must be known before they say what is usual. */
  readonly usualKnownFrom: number;
  /** Gaps that are remembered. */
  readonly usualWindow: number;
}

/** Tried on recordings of real nodes; see the table of rules in the README. */
export const DEFAULT_THRESHOLDS: HealthThresholds = {
  notWatchedAfterMs: 30_000,
  unreachableAfterMs: 5_000,
  failingCount: 5,
  failingAfterMs: 5_000,
  failingUsualFactor: 3,
  failingAtMostMs: 60_000,
  frozenCount: 3,
  frozenAfterMs: 20_000,
  frozenUsualFactor: 3,
  frozenAtMostMs: 600_000,
  inclusionLateShare: 0.5,
  silentAfterMs: 15_000,
  silentUsualFactor: 10,
  silentAtMostMs: 300_000,
  failuresCount: 2,
  failuresOf: 20,
  slowAfterMs: 3_000,
  slowUsualFactor: 2,
  slowHoldMs: 6_000,
  headStillAfterMs: 15_000,
  headStillUsualFactor: 20,
  longestBlockIntervalMs: 0,
  headLateShare: 0.5,
  catchingUpAfterMs: 30_000,
  claimDiffersAfterMs: 2_000,
  usualUnknownMs: 6_000,
  usualKnownFrom: 10,
  usualWindow: 100,
};

/** The defaults with a chain's own settings over them; unknown names and numbers that are not finite are left out. */
export function readThresholds(settings: Readonly<Record<string, number>>): HealthThresholds {
  const known = Object.entries(settings).filter(
    ([name, value]) => name in DEFAULT_THRESHOLDS && Number.isFinite(value) && value >= 0,
  );
  return { ...DEFAULT_THRESHOLDS, ...Object.fromEntries(known) };
}
