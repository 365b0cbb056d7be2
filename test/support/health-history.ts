import type { RecordedEvent } from '../../src/domain/events.js';
import { NO_HEALTH, type HealthFold } from '../../src/domain/health/health-fold.js';
import { contradictedMs, type RuleInterval } from '../../src/domain/health/health-intervals.js';
import { HEALTH_COMPONENTS, type HealthComponent } from '../../src/domain/health/health-rule.js';
import { DEFAULT_THRESHOLDS, type HealthThresholds } from '../../src/domain/health/health-thresholds.js';
import { foldHealth } from '../../src/domain/health/health.js';

/** The final intervals of each component, ascending, and the fold behind them. */
export interface FoldedHistory {
  readonly intervals: Record<HealthComponent, RuleInterval[]>;
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
      intervals: byComponent(() => []),
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
  const rows = byComponent(() => new Map<number, RuleInterval>());
  const sorted = (map: Map<number, RuleInterval>) => [...map.values()].sort((a, b) => a.from - b.from);
  let fold = NO_HEALTH;
  return events.map((event) => {
    const { state, changes } = foldHealth(fold, event, thresholds);
    fold = store(state);
    for (const change of changes) {
      if (change.kind === 'put') rows[change.component].set(change.interval.from, change.interval);
      else rows[change.component].delete(change.from);
    }
    const intervals = byComponent((component) => sorted(rows[component]));
    return { intervals, fold };
  });
}

function byComponent<T>(make: (component: HealthComponent) => T): Record<HealthComponent, T> {
  return Object.fromEntries(HEALTH_COMPONENTS.map((each) => [each, make(each)])) as Record<
    HealthComponent,
    T
  >;
}

/** One line per interval, for people: seconds since `startMs`, state, rule, claim. */
export function printHistory(intervals: readonly RuleInterval[], startMs: number): string {
  const seconds = (ms: number | null) => (ms === null ? 'now' : ((ms - startMs) / 1000).toFixed(1));
  return intervals
    .map(
      (each) =>
        `${seconds(each.from)} - ${seconds(each.to)} ${each.state} ${each.rule} (claims ${each.claim}, ${contradictedMs(each) / 1000} s against it): ${each.reason}`,
    )
    .join('\n');
}
