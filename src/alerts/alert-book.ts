import {
  AlertLedger,
  type AlertEvent,
  type AlertEvents,
  type LedgerState,
} from '../domain/alerts/alert-ledger.js';
import type { NewEvent, RecordedEvent } from '../domain/events.js';
import { microsToMillis } from '../domain/time.js';
import type { EventStore } from '../event-log/event-store.js';

/** Alerts may concern several chains: their events stand where those of all chains do. */
const ALERT_STREAM = '*/operator';

const TYPES = Object.keys({
  AlertRaised: true,
  AlertReminded: true,
  AlertResolved: true,
  AlertDelivered: true,
  AlertsSilenced: true,
  SilenceLifted: true,
} satisfies Record<keyof AlertEvents, true>) as readonly (keyof AlertEvents)[];

/** After so many events the stream keeps what the ledger knows by then, so that a process reads no more of them back. */
const KEPT_AFTER = 200n;

/** Events that are read back where nothing is kept, as of a log that was imported. An alert that began before is forgotten. */
const MOST_EVENTS = 5_000;
const PAGE = 500;

/** The stream keeps this: the ledger as it was at one version. */
interface Kept {
  readonly version: string;
  readonly ledger: LedgerState;
}

/** An event of alerts that is not recorded yet. */
export type NewAlertEvent = Extract<NewEvent, { type: keyof AlertEvents }>;

/** Reads from the log which alerts were announced, reads on as it grows, and adds to it. */
export class AlertBook {
  private ledger: AlertLedger | undefined;
  private version = 0n;
  /** Version of what is kept, as far as it is known. */
  private kept = 0n;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly store: Pick<EventStore, 'readStreamBack' | 'loadStream' | 'append'>) {}

  /** The ledger with all that is in the log by now. */
  read(): Promise<AlertLedger> {
    const turn = this.turn.then(
      () => this.catchUp(),
      () => this.catchUp(),
    );
    this.turn = turn;
    return turn;
  }

  /**
   * Records what was decided on the ledger as it is now.
   * @param decide gives the events; none where there is nothing to record
   * @returns false where somebody else wrote first: then nothing was recorded
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
    const kept = (await this.store.loadStream(ALERT_STREAM)).state as Kept | undefined;
    if (kept === undefined) return new AlertLedger();
    this.version = BigInt(kept.version);
    this.kept = this.version;
    return new AlertLedger(kept.ledger);
  }
}

function keep(ledger: AlertLedger, events: readonly NewAlertEvent[], version: bigint): Kept {
  const after = new AlertLedger(ledger.state);
  for (const { type, body, observedAt: at } of events) after.take({ type, body, at } as AlertEvent);
  return { version: String(version), ledger: after.state };
}
