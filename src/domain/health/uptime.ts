import type { Micros, Millis } from '../time.js';
import type { HealthState } from './health-rule.js';

/** How long a component was in each state, in microseconds; a state that is missing lasted no time. */
export type StateTimes = Partial<Readonly<Record<HealthState, Micros>>>;

/** The account of a stretch of time: the four lengths add up to it. */
export interface Uptime {
  readonly healthyMs: Millis;
  readonly warningMs: Millis;
  readonly criticalMs: Millis;
  /** What we could not see, and what no interval covers. */
  readonly unknownMs: Millis;
  /** Share of the known time that was not critical; null where nothing is known. */
  readonly uptime: number | null;
}

/**
 * Accounts for a stretch of time. What is unknown is neither up nor down, and what rounding to milliseconds leaves over
 * is unknown.
 *
 * @param lengthUs of the stretch, at least as long as the states together
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
