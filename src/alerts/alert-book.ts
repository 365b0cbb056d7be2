import type { RecordedEvent } from '../domain/events.js';
import { AlertLedger, type AlertEvent, type AlertEvents } from '../domain/alerts/alert-ledger.js';
import { microsToMillis } from '../domain/time.js';
import type { EventStore } from '../event-log/event-store.js';

/** Alerts may concern several chains: their events stand where those of all chains do. */
export const ALERT_STREAM = '*/operator';

const TYPES = Object.keys({
  AlertRaised: true,
  AlertResolved: true,
  AlertDelivered: true,
} satisfies Record<keyof AlertEvents, true>) as readonly (keyof AlertEvents)[];

/** Events that a process reads back over when it starts. An alert that began before them is forgotten. */
const MOST_EVENTS = 5_000;
const PAGE = 500;

/** Reads from the log which alerts were announced, and reads on as it grows. */
export class AlertBook {
  private ledger = new AlertLedger();
  private version = 0n;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly store: Pick<EventStore, 'readStreamBack'>) {}

  /** The ledger with all that is in the log by now. */
  read(): Promise<AlertLedger> {
    const turn = this.turn.then(
      () => this.catchUp(),
      () => this.catchUp(),
    );
    this.turn = turn;
    return turn;
  }

  private async catchUp(): Promise<AlertLedger> {
    const fresh: RecordedEvent[] = [];
    let before: bigint | undefined;
    while (fresh.length < MOST_EVENTS) {
      const page = await this.store.readStreamBack(ALERT_STREAM, TYPES, PAGE, before);
      const newer = page.filter(({ version }) => version > this.version);
      for (const event of newer) fresh.push(event);
      before = page.at(-1)?.version;
      if (newer.length < page.length || before === undefined) break;
    }
    this.version = fresh[0]?.version ?? this.version;
    for (const { type, body, observedAt } of fresh.toReversed()) {
      this.ledger.take({ type, body, at: microsToMillis(observedAt) } as AlertEvent);
    }
    return this.ledger;
  }
}
