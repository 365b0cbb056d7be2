import type { Micros, Millis } from '../time.js';
import type { HealthState } from './health-rule.js';

/** How long a component was in each state, in microseconds; a missing state lasted no time. */
export type StateTimes = Partial<Readonly<Record<HealthState, Micros>>>;

/** The account of a period: the four lengths add up to it. */
export interface Uptime {
  readonly healthyMs: Millis;
  readonly warningMs: Millis;
  readonly criticalMs: Millis;
  /** Time that we could not see, and time that no interval covers. */
  readonly unknownMs: Millis;
  /** Share of the known time that was not critical, 0 to 1; null if nothing is known. */
  readonly uptime: number | null;
}

/**
 * Accounts for a period. Unknown time is neither up nor down. The remainder of rounding to milliseconds counts as unknown.
 *
 * @param lengthUs of the period, at least as long as the states together
 */
export function accountUptime(times: StateTimes, lengthUs: Micros): Uptime {
  const [healthyMs, warningMs, criticalMs] = [times.HEALTHY, times.WARNING, times.CRITICAL].map((us = 0n) =>
    Number(us / 1_000n),
  ) as [Millis, Millis, Millis];
  const knownMs = healthyMs + warningMs + criticalMs;
  return {
    healthyMs,
    warningMs,
    criticalMs,
    unknownMs: Math.max(0, Number(lengthUs / 1_000n) - knownMs),
    uptime: knownMs === 0 ? null : (healthyMs + warningMs) / knownMs,
  };
}
