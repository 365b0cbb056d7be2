import type { EventBodies, NewEvent, RecordedEvent } from '../events.js';
import type { Millis } from '../time.js';
import { foldHealth } from './health.js';
import { bookOf, NO_HEALTH, type HealthChange, type HealthFold } from './health-fold.js';
import type { HealthThresholds } from './health-thresholds.js';

type LooksOfNode = EventBodies['NodeWatched']['looks'];

/**
 * What the log tells of a node's health so far, for whoever writes it. Only looks that are in the log prove a silence,
 * so those that would change the health must not wait.
 */
export class ForeseenHealth {
  private fold: HealthFold = NO_HEALTH;

  constructor(
    private readonly stream: string,
    private readonly thresholds: HealthThresholds,
  ) {}

  /** Events that the log holds, in its order. */
  noteRecorded(events: readonly RecordedEvent[]): void {
    for (const event of events) this.fold = foldHealth(this.fold, event, this.thresholds).state;
  }

  /** Events that were just appended. */
  note(events: readonly NewEvent[]): void {
    this.noteRecorded(events.map((event) => this.asRecorded(event)));
  }

  /** Whether the node's health would be another one if these looks stood in the log, too. */
  isChangedBy(looks: LooksOfNode, at: Millis): boolean {
    const event = this.asRecorded({ type: 'NodeWatched', observedAt: at, body: { looks } });
    const { changes } = foldHealth(this.fold, event, this.thresholds);
    return changes.some((change) => isNews(this.fold, change));
  }

  private asRecorded(event: NewEvent): RecordedEvent {
    const at = BigInt(Math.round(event.observedAt * 1000));
    const place = { position: 0n, stream: this.stream, version: 0n, schema: 1 };
    return { ...place, ...event, observedAt: at, recordedAt: at };
  }
}

/** That a claim goes on contradicting an interval is none. */
function isNews(fold: HealthFold, change: HealthChange): boolean {
  if (change.kind === 'drop') return true;
  const { open, closed } = bookOf(fold, change.component);
  const { interval } = change;
  const known = [open, ...closed].find((each) => each?.from === interval.from);
  return (
    known?.rule !== interval.rule ||
    known.to !== interval.to ||
    (known.contradicted.length === 0) !== (interval.contradicted.length === 0)
  );
}
