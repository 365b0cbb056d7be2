import type { Millis } from '../time.js';
import type { AlertSeverity, AlertWords } from './alert-rules.js';
import type { AlertScope, Mute } from './alert-scope.js';

/** Trouble that is reported to people, as of when it was raised. */
export interface Alert {
  /** Plain ASCII; the same for each notice. */
  readonly id: string;
  readonly rule: string;
  readonly severity: AlertSeverity;
  /** The chain, or the node if the rule reports each node by itself; else text that says that no chain is known. */
  readonly owner: string;
  readonly chain: string | null;
  /** Empty if the alert is about a chain, or about Hindsight itself. */
  readonly nodes: readonly string[];
  /** On the observer's clock. */
  readonly since: Millis;
  readonly reason: string;
  /** The words that are sent, stored so that each try sends the same even if settings change. */
  readonly words?: AlertWords;
  /** The page about it; undefined if the settings have no public address. */
  readonly link?: string;
  /** The page about what to do: its public address, or without one its file in the sources; undefined if there is no page. */
  readonly runbook?: string;
}

export type DeliveryOutcome = 'DELIVERED' | 'REFUSED' | 'GIVEN_UP';

/** A request of a person to send no notices about what is in its scope, up to a time. */
export interface RecordedSilence {
  readonly id: string;
  readonly scope: AlertScope;
  readonly from: Millis;
  readonly until: Millis;
  readonly note: string;
  readonly by: string;
}

export interface AlertEvents {
  /** To be sent to these destinations. */
  AlertRaised: { readonly alert: Alert; readonly destinations: readonly string[] };
  /** The alert is ongoing, and these destinations are reminded. */
  AlertReminded: {
    readonly alert: string;
    readonly destinations: readonly string[];
    /** The reason by then; undefined if unknown. */
    readonly reason?: string;
  };
  /** A person acknowledged the incident of the alert; for destinations that have incidents of their own. */
  AlertAcknowledged: {
    readonly alert: string;
    readonly by: string;
    readonly destinations: readonly string[];
  };
  AlertResolved: {
    readonly alert: string;
    readonly until: Millis;
    readonly destinations: readonly string[];
    /** Its nodes that are no longer monitored, or no longer by its rule: whether they are healthy is unknown. */
    readonly gone?: readonly string[];
  };
  /** A notice is finished at a destination: it was accepted, refused for good, or is too old. */
  AlertDelivered: {
    readonly notice: string;
    readonly destination: string;
    readonly outcome: DeliveryOutcome;
    readonly detail: string;
  };
  AlertsSilenced: { readonly silence: RecordedSilence };
  /** The silence ends before its time. */
  SilenceLifted: { readonly silence: string; readonly by: string };
}

export interface Notice {
  readonly key: string;
  readonly alert: Alert;
  readonly status: 'RAISED' | 'REMINDED' | 'ACKNOWLEDGED' | 'RESOLVED';
  /** When the alert ended; null in a message that it began, or is ongoing. */
  readonly until: Millis | null;
  /** When it ended: its nodes that are no longer monitored. */
  readonly gone?: readonly string[];
  /** In a reminder: the reason by then, if known. */
  readonly reason?: string;
  /** The name of the person who acknowledged it. */
  readonly by?: string;
  readonly at: Millis;
  /** Destinations that have not accepted it. */
  readonly waiting: ReadonlySet<string>;
}

/** A notice as it is sent to a destination. */
export type Message = Omit<Notice, 'waiting'>;

export type AlertEvent = {
  [T in keyof AlertEvents]: { readonly type: T; readonly at: Millis; readonly body: AlertEvents[T] };
}[keyof AlertEvents];

/** An unresolved alert, and when each destination was last notified. */
interface Announced {
  readonly alert: Alert;
  readonly destinations: readonly string[];
  readonly toldAt: Readonly<Record<string, Millis>>;
  readonly isAcknowledged?: boolean;
}

export interface LedgerState {
  readonly alerts: readonly Announced[];
  readonly notices: readonly (Message & { readonly waitingAt: readonly string[] })[];
  readonly silences: readonly RecordedSilence[];
}

/** Knows which alerts were announced, which destinations still wait, and which silences hold: a function of the log. */
export class AlertLedger {
  private readonly alerts = new Map<string, Announced>();
  private readonly notices = new Map<string, { message: Message; waiting: Set<string> }>();
  private readonly silenced = new Map<string, RecordedSilence>();

  /** @param state of another ledger, to continue from */
  constructor({ alerts, notices, silences }: LedgerState = { alerts: [], notices: [], silences: [] }) {
    for (const announced of alerts) this.alerts.set(announced.alert.id, announced);
    for (const { waitingAt, ...message } of notices) this.note(message, waitingAt);
    for (const silence of silences) this.silenced.set(silence.id, silence);
  }

  get state(): LedgerState {
    return {
      alerts: [...this.alerts.values()],
      notices: [...this.notices.values()].map(({ message, waiting }) => ({
        ...message,
        waitingAt: [...waiting],
      })),
      silences: [...this.silenced.values()],
    };
  }

  /** Takes the next event, in the order of the stream. */
  take({ type, at, body }: AlertEvent): void {
    switch (type) {
      case 'AlertRaised': {
        const { alert, destinations } = body;
        const toldAt = Object.fromEntries(destinations.map((destination) => [destination, at]));
        this.alerts.set(alert.id, { alert, destinations, toldAt });
        this.note({ key: `${alert.id}-raised`, alert, status: 'RAISED', until: null, at }, destinations);
        return;
      }
      case 'AlertReminded':
        this.remind(body, at);
        return;
      case 'AlertAcknowledged':
        this.acknowledge(body, at);
        return;
      case 'AlertResolved':
        this.resolve(body, at);
        return;
      case 'AlertDelivered': {
        const known = this.notices.get(body.notice);
        known?.waiting.delete(body.destination);
        if (known?.waiting.size === 0) this.notices.delete(body.notice);
        return;
      }
      case 'AlertsSilenced':
        for (const [id, { until }] of this.silenced) if (until <= at) this.silenced.delete(id);
        this.silenced.set(body.silence.id, body.silence);
        return;
      case 'SilenceLifted':
        this.silenced.delete(body.silence);
    }
  }

  get open(): readonly Alert[] {
    return [...this.alerts.values()].map(({ alert }) => alert);
  }

  get unacknowledged(): readonly Alert[] {
    return [...this.alerts.values()].flatMap(({ alert, isAcknowledged }) => (isAcknowledged ? [] : [alert]));
  }

  silencesAt(at: Millis): readonly RecordedSilence[] {
    return [...this.silenced.values()].filter(({ from, until }) => from <= at && at < until);
  }

  mutesAt(at: Millis): readonly Mute[] {
    return this.silencesAt(at).map(({ scope, from, until }) => ({ scope, when: { from, until } }));
  }

  toldOf(alert: string): readonly string[] {
    return this.alerts.get(alert)?.destinations ?? [];
  }

  /**
   * Ongoing alerts, and the destinations that are due for a reminder and have accepted all earlier notices.
   * @param pauses the time between reminders of each destination that wants them, in milliseconds
   */
  toRemind(pauses: ReadonlyMap<string, Millis>, now: Millis): readonly AlertEvents['AlertReminded'][] {
    const waiting = [...this.notices.values()];
    return [...this.alerts.values()].flatMap(({ alert, destinations, toldAt }) => {
      const due = destinations.filter(
        (destination) =>
          now - (toldAt[destination] ?? now) >= (pauses.get(destination) ?? Infinity) &&
          !waiting.some((one) => one.message.alert.id === alert.id && one.waiting.has(destination)),
      );
      return due.length > 0 ? [{ alert: alert.id, destinations: due }] : [];
    });
  }

  /** The notice with a key; undefined once no destination waits for it. */
  find(key: string): Notice | undefined {
    const known = this.notices.get(key);
    return known && { ...known.message, waiting: known.waiting };
  }

  /** The deliveries to make now, oldest first. A destination is sent the end of an alert only after its beginning. */
  get due(): readonly { readonly notice: string; readonly destination: string }[] {
    const before = new Set<string>();
    return [...this.notices.values()].flatMap(({ message: { key, alert }, waiting }) =>
      [...waiting].flatMap((destination) => {
        const line = JSON.stringify([alert.id, destination]);
        if (before.has(line)) return [];
        before.add(line);
        return [{ notice: key, destination }];
      }),
    );
  }

  private remind({ alert: id, destinations, reason }: AlertEvents['AlertReminded'], at: Millis): void {
    const known = this.alerts.get(id);
    if (!known) return;
    const toldAt = { ...known.toldAt, ...Object.fromEntries(destinations.map((name) => [name, at])) };
    this.alerts.set(id, { ...known, toldAt });
    const { alert } = known;
    const message = { key: `${id}-reminded-${at}`, alert, status: 'REMINDED', until: null, at } as const;
    this.note({ ...message, ...(reason !== undefined && { reason }) }, destinations);
  }

  private acknowledge({ alert: id, by, destinations }: AlertEvents['AlertAcknowledged'], at: Millis): void {
    const known = this.alerts.get(id);
    if (!known) return;
    this.alerts.set(id, { ...known, isAcknowledged: true });
    const { alert } = known;
    const message = {
      key: `${id}-acknowledged`,
      alert,
      status: 'ACKNOWLEDGED',
      until: null,
      by,
      at,
    } as const;
    this.note(message, destinations);
  }

  private resolve({ alert: id, until, destinations, gone }: AlertEvents['AlertResolved'], at: Millis): void {
    const known = this.alerts.get(id);
    if (!known) return;
    this.alerts.delete(id);
    // Pending reminders are no longer true.
    for (const [key, { message }] of this.notices)
      if (message.alert.id === id && message.status === 'REMINDED') this.notices.delete(key);
    const { alert } = known;
    const end = { key: `${id}-resolved`, alert, status: 'RESOLVED', until, at } as const;
    this.note({ ...end, ...(gone && { gone }) }, destinations);
  }

  private note(message: Message, destinations: readonly string[]): void {
    if (destinations.length > 0) this.notices.set(message.key, { message, waiting: new Set(destinations) });
  }
}
