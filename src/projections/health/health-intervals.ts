import type { HealthChange } from '../../domain/health/health-fold.js';
import { contradictedMs, contradicts, type HealthInterval } from '../../domain/health/health-intervals.js';
import type { Micros, Millis } from '../../domain/time.js';
import { RowVersions } from '../../platform/rows/row-versions.js';
import { HealthIntervalEntity } from '../../tables/health/health-interval.entity.js';
import type { Query } from '../projection.js';

/** The rows of `health_interval` that a batch of events changes. */
export class HealthIntervals {
  private readonly versions = new RowVersions(HealthIntervalEntity, ['node', 'component', 'fromAt']);

  apply(node: string, change: HealthChange, position: bigint): void {
    const { component } = change;
    if (change.kind === 'drop') {
      this.versions.retire({ node, component, fromAt: toTableMicros(change.from) }, position);
      return;
    }
    const { from, to, state, rule, reason, claim, limit } = change.interval;
    const interval = {
      node,
      component,
      fromAt: toTableMicros(from),
      toAt: to === null ? null : toTableMicros(to),
      state,
      rule,
      reason,
      claim,
      claimDiffers: doesClaimDiffer(change.interval),
      differedMs: BigInt(Math.round(contradictedMs(change.interval))),
      setting: limit?.setting ?? null,
      limitValue: limit?.limit ?? null,
    };
    this.versions.put(interval, position);
  }

  write(query: Query): Promise<void> {
    return this.versions.write(query);
  }
}

/** Proven to, not proven to, or (null) nothing to compare. */
function doesClaimDiffer(interval: HealthInterval): boolean | null {
  if (interval.contradicted.length > 0) return true;
  return contradicts(interval.claim, interval.state) === null ? null : false;
}

/** A moment as it stands in the table. Deadlines may lie between two milliseconds. */
export function toTableMicros(ms: Millis): Micros {
  return BigInt(Math.round(ms * 1000));
}
