/**
 * Defaults of every number that the health rules use: milliseconds, counts, or factors. Each can be set per chain under its name
 * here. Tried on recordings of real nodes; see the table of rules in docs/health.md.
 */
export const DEFAULT_THRESHOLDS = {
  /** No poll for this long: not monitored. Must be longer than the longest poll interval. */
  notWatchedAfterMs: 30_000,
  /** A poll that fails this long after the last good one: unreachable. */
  unreachableAfterMs: 5_000,

  /** This many failed attempts in a row … */
  failingCount: 5,
  /** … without a success for `failingUsualFactor` × the usual gap between successes, but at least this: failing. */
  failingAfterMs: 5_000,
  failingUsualFactor: 3,
  failingAtMostMs: 60_000,

  /** This many successes since the inclusion frontier moved last … */
  frozenCount: 3,
  /** … the first of them `frozenUsualFactor` × the usual gap between advances ago, but at least this: frozen. */
  frozenAfterMs: 20_000,
  frozenUsualFactor: 3,
  frozenAtMostMs: 600_000,
  /** Inclusion is late after this share of the time for frozen. */
  inclusionLateShare: 0.5,

  /** Blocks wait and no attempt succeeds for `silentUsualFactor` × the usual gap, but at least this: silent. */
  silentAfterMs: 15_000,
  silentUsualFactor: 10,
  silentAtMostMs: 300_000,

  /** This many failures … */
  failuresCount: 2,
  /** … among this many latest attempts: a warning. */
  failuresOf: 20,

  /** A gap between successes of `slowUsualFactor` × the usual one, but at least this: slow. */
  slowAfterMs: 3_000,
  slowUsualFactor: 2,
  /** The minimum time for which the warning stays after such a gap, so that it does not flap. */
  slowHoldMs: 6_000,

  /** The head stays at a block for `headStillUsualFactor` × the usual block interval, but at least this: still. */
  headStillAfterMs: 15_000,
  headStillUsualFactor: 20,
  /**
   * The longest block interval that the chain is configured for (lazy chains); the head may stay at a block at least this long.
   */
  longestBlockIntervalMs: 0,
  /** The head is late after this share of the time for still. */
  headLateShare: 0.5,
  /** The node reports that it is catching up, and its head moves, for this long: a warning. */
  catchingUpAfterMs: 30_000,

  /** The head of the DA node is older than this many usual DA blocks, but at least this: behind. */
  daNodeBehindBlocks: 5,
  daNodeBehindAfterMs: 30_000,
  /** An account that lasts for less than this: a warning, or critical. */
  fundsLowMs: 3 * 24 * 3_600_000,
  fundsCriticalMs: 12 * 3_600_000,
  /** The token of the DA node expires within this time: a warning. */
  tokenExpiresMs: 3 * 24 * 3_600_000,

  /** The node's claim contradicts us for this long, a poll of the list: the difference is recorded. */
  claimDiffersAfterMs: 2_000,

  /** "Usual" is at least this until enough gaps are known. */
  usualUnknownMs: 6_000,
  /** Number of known gaps from which "usual" is computed. */
  usualKnownFrom: 10,
  usualWindow: 100,
} as const;

export type ThresholdName = keyof typeof DEFAULT_THRESHOLDS;
export type HealthThresholds = Readonly<Record<ThresholdName, number>>;

/** The defaults, overridden by a chain's own settings; unknown names and values that are negative or not finite are ignored. */
export function readThresholds(settings: Readonly<Record<string, number>>): HealthThresholds {
  const known = Object.entries(settings).filter(
    ([name, value]) => name in DEFAULT_THRESHOLDS && Number.isFinite(value) && value >= 0,
  );
  return { ...DEFAULT_THRESHOLDS, ...Object.fromEntries(known) };
}
