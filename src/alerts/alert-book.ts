import {
  AlertLedger,
  type AlertEvent,
  type AlertEvents,
  type LedgerState,
} from '../domain/alerts/alert-ledger.js';
import type { NewEvent, RecordedEvent } from '../domain/events.js';
import { microsToMillis } from '../domain/time.js';
import type { EventStore } from '../event-log/event-store.js';

/** Alerts may concern several chains, so their events are in the stream for all chains. */
export const ALERT_STREAM = '*/operator';

const TYPES = Object.keys({
  AlertRaised: true,
  AlertReminded: true,
  AlertAcknowledged: true,
  AlertResolved: true,
  AlertDelivered: true,
  AlertsSilenced: true,
  SilenceLifted: true,
} satisfies Record<keyof AlertEvents, true>) as readonly (keyof AlertEvents)[];

/** After this many events the stream stores the state of the ledger, so that a process reads back no more of them. */
const KEPT_AFTER = 200n;

/** The most events that are read back without a stored state, as in an imported log. Alerts that began before are forgotten. */
const MOST_EVENTS = 5_000;
const PAGE = 500;

/** The stored state: the ledger as of one version of the stream. */
interface StoredLedger {
  readonly version: string;
  readonly ledger: LedgerState;
}

export type NewAlertEvent = Extract<NewEvent, { type: keyof AlertEvents }>;

/** Reads the announced alerts from the log, follows the log as it grows, and appends to it. */
export class AlertBook {
  private ledger: AlertLedger | undefined;
  private version = 0n;
  /** The version of the latest known stored state. */
  private kept = 0n;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly store: Pick<EventStore, 'readStreamBack' | 'loadStream' | 'append'>) {}

  /** The ledger with all events that are in the log now. */
  read(): Promise<AlertLedger> {
    const turn = this.turn.then(
      () => this.catchUp(),
      () => this.catchUp(),
    );
    this.turn = turn;
    return turn;
  }

  /**
   * Records decisions about the current ledger.
   * @param decide returns the events; an empty list if there is nothing to record
   * @returns false if another process wrote first: then nothing was recorded
   */
  async record(decide: (ledger: AlertLedger) => Promise<readonly NewAlertEvent[]>): Promise<boolean> {
    const { version } = await this.store.loadStream(ALERT_STREAM);
    const ledger = await this.read();
    const events = await decide(ledger);
    if (events.length === 0) return true;
    const end = version + BigInt(events.length);
    const isDue = end - this.kept >= KEPT_AFTER;
    const { won } = await this.store.append({
      stream: ALERT_STREAM,
      expectedVersion: version,
      events,
      ...(isDue && { state: keep(ledger, events, end) }),
    });
    if (won && isDue) this.kept = end;
    return won;
  }

  private async catchUp(): Promise<AlertLedger> {
    const ledger = this.ledger ?? (await this.begin());
    this.ledger = ledger;
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
      ledger.take({ type, body, at: microsToMillis(observedAt) } as AlertEvent);
    }
    return ledger;
  }

  private async begin(): Promise<AlertLedger> {
    const kept = (await this.store.loadStream(ALERT_STREAM)).state as StoredLedger | undefined;
    if (kept === undefined) return new AlertLedger();
    this.version = BigInt(kept.version);
    this.kept = this.version;
    return new AlertLedger(kept.ledger);
  }
}

function keep(ledger: AlertLedger, events: readonly NewAlertEvent[], version: bigint): StoredLedger {
  const after = new AlertLedger(ledger.state);
  for (const { type, body, observedAt: at } of events) after.take({ type, body, at } as AlertEvent);
  return { version: String(version), ledger: after.state };
}
