import type { RecordedEvent } from '../../src/domain/events.js';
import { NO_HEALTH, type HealthFold } from '../../src/domain/health/health-fold.js';
import { contradictedMs, type HealthInterval } from '../../src/domain/health/health-intervals.js';
import type { HealthComponent } from '../../src/domain/health/health-rule.js';
import { DEFAULT_THRESHOLDS, type HealthThresholds } from '../../src/domain/health/health-thresholds.js';
import { foldHealth } from '../../src/domain/health/health.js';

/** The final intervals of each component, ascending, and the fold behind them. */
export interface FoldedHistory {
  readonly intervals: Record<HealthComponent, HealthInterval[]>;
  readonly fold: HealthFold;
}

/**
 * Folds events and returns the final intervals, ascending.
 *
 * @param store applied to the state between two events
 */
export function foldHistory(
  events: readonly RecordedEvent[],
  thresholds: HealthThresholds = DEFAULT_THRESHOLDS,
  store: (fold: HealthFold) => HealthFold = (fold) => fold,
): FoldedHistory {
  return (
    foldEach(events, thresholds, store).at(-1) ?? {
      intervals: { DA: [], NODE: [], COVERAGE: [] },
      fold: NO_HEALTH,
    }
  );
}

/** Like `foldHistory`, after each event. */
export function foldEach(
  events: readonly RecordedEvent[],
  thresholds: HealthThresholds = DEFAULT_THRESHOLDS,
  store: (fold: HealthFold) => HealthFold = (fold) => fold,
): FoldedHistory[] {
  const rows = {
    DA: new Map<number, HealthInterval>(),
    NODE: new Map<number, HealthInterval>(),
    COVERAGE: new Map<number, HealthInterval>(),
  };
  const sorted = (map: Map<number, HealthInterval>) => [...map.values()].sort((a, b) => a.from - b.from);
  let fold = NO_HEALTH;
  return events.map((event) => {
    const { state, changes } = foldHealth(fold, event, thresholds);
    fold = store(state);
    for (const change of changes) {
      if (change.kind === 'put') rows[change.component].set(change.interval.from, change.interval);
      else rows[change.component].delete(change.from);
    }
    const intervals = { DA: sorted(rows.DA), NODE: sorted(rows.NODE), COVERAGE: sorted(rows.COVERAGE) };
    return { intervals, fold };
  });
}

/** One line per interval, for people: seconds since `startMs`, state, rule, claim. */
export function printHistory(intervals: readonly HealthInterval[], startMs: number): string {
  const seconds = (ms: number | null) => (ms === null ? 'now' : ((ms - startMs) / 1000).toFixed(1));
  return intervals
    .map(
      (each) =>
        `${seconds(each.from)} - ${seconds(each.to)} ${each.state} ${each.rule} (claims ${each.claim}, ${contradictedMs(each) / 1000} s against it): ${each.reason}`,
    )
    .join('\n');
}
