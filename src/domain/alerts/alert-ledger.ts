import type { Millis } from '../time.js';
import type { AlertSeverity, AlertWords } from './alert-rules.js';
import type { AlertScope, Mute } from './alert-scope.js';

/** Trouble that people are told of, as it was when it was raised. */
export interface Alert {
  /** Plain ASCII; the same however often it is told. */
  readonly id: string;
  readonly rule: string;
  readonly severity: AlertSeverity;
  /** The chain, or the node of a rule that tells of each by itself; else says that no chain is known. */
  readonly owner: string;
  readonly chain: string | null;
  /** None of a chain, or of Hindsight itself. */
  readonly nodes: readonly string[];
  /** On the observer's clock. */
  readonly since: Millis;
  readonly reason: string;
  /** What people are told, so that each try says the same whatever the settings are by then. */
  readonly words?: AlertWords;
  /** The page about it; left out where the settings tell no public address. */
  readonly link?: string;
}

/** How a notice ended at a destination. */
export type DeliveryOutcome = 'DELIVERED' | 'REFUSED' | 'GIVEN_UP';

/** Somebody's wish that nobody be told of what is in its scope, up to a time. */
export interface Silence {
  readonly id: string;
  readonly scope: AlertScope;
  readonly from: Millis;
  readonly until: Millis;
  readonly note: string;
  readonly by: string;
}

/** Bodies of the events that alerts leave. */
export interface AlertEvents {
  /** To be told to these destinations. */
  AlertRaised: { readonly alert: Alert; readonly destinations: readonly string[] };
  /** It lasts, and these destinations are told so again. */
  AlertReminded: {
    readonly alert: string;
    readonly destinations: readonly string[];
    /** What is the matter by then; left out where that is not known. */
    readonly reason?: string;
  };
  AlertResolved: {
    readonly alert: string;
    readonly until: Millis;
    readonly destinations: readonly string[];
    /** Those of its nodes that are not watched any more, or not by its rule: whether they are well, nobody knows. */
    readonly gone?: readonly string[];
  };
  /** A notice needs nothing more at a destination: it was taken, refused for good, or is too old. */
  AlertDelivered: {
    readonly notice: string;
    readonly destination: string;
    readonly outcome: DeliveryOutcome;
    readonly detail: string;
  };
  AlertsSilenced: { readonly silence: Silence };
  /** Before its time. */
  SilenceLifted: { readonly silence: string; readonly by: string };
}

/** One message about an alert. */
export interface Notice {
  /** The same at each try and at each destination. */
  readonly key: string;
  readonly alert: Alert;
  readonly status: 'RAISED' | 'REMINDED' | 'RESOLVED';
  /** When it ended; null of the message that it began, or lasts. */
  readonly until: Millis | null;
  /** Of an end: those of its nodes that are not watched any more. */
  readonly gone?: readonly string[];
  /** Of a reminder: what is the matter by then, where that is known. */
  readonly reason?: string;
  /** When it was decided. */
  readonly at: Millis;
  /** Destinations that have not taken it. */
  readonly waiting: ReadonlySet<string>;
}

/** What a destination is sent. */
export type Message = Omit<Notice, 'waiting'>;

/** An event of alerts, with when it was observed. */
export type AlertEvent = {
  [T in keyof AlertEvents]: { readonly type: T; readonly at: Millis; readonly body: AlertEvents[T] };
}[keyof AlertEvents];

/** An alert that was not resolved, and whom it was told to when. */
interface Announced {
  readonly alert: Alert;
  readonly destinations: readonly string[];
  readonly toldAt: Readonly<Record<string, Millis>>;
}

/** All that a ledger knows, as JSON. */
export interface LedgerState {
  readonly alerts: readonly Announced[];
  readonly notices: readonly (Message & { readonly waitingAt: readonly string[] })[];
  readonly silences: readonly Silence[];
}

/** Knows which alerts were announced, who has yet to be told, and who wants silence: a function of the log. */
export class AlertLedger {
  private readonly alerts = new Map<string, Announced>();
  private readonly notices = new Map<string, { message: Message; waiting: Set<string> }>();
  private readonly silenced = new Map<string, Silence>();

  /** @param state of another ledger, to go on from */
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

  /** Takes the next event, in the order of their stream. */
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

  /** Alerts that were raised and not resolved. */
  get open(): readonly Alert[] {
    return [...this.alerts.values()].map(({ alert }) => alert);
  }

  /** Silences that hold at a moment. */
  silencesAt(at: Millis): readonly Silence[] {
    return [...this.silenced.values()].filter(({ from, until }) => from <= at && at < until);
  }

  /** The same as mutes. */
  mutesAt(at: Millis): readonly Mute[] {
    return this.silencesAt(at).map(({ scope, from, until }) => ({ scope, when: { from, until } }));
  }

  /** Whom an alert was told to. */
  toldOf(alert: string): readonly string[] {
    return this.alerts.get(alert)?.destinations ?? [];
  }

  /**
   * Alerts that last, and the destinations that want to be told so again and have taken all they were told before.
   * @param pauses of each destination that does, how long it wants to hear nothing, in milliseconds
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

  /** The notice of a key; undefined once no destination waits for it. */
  find(key: string): Notice | undefined {
    const known = this.notices.get(key);
    return known && { ...known.message, waiting: known.waiting };
  }

  /** The deliveries to make now, oldest first. A destination hears of the end of an alert after its beginning. */
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

  private resolve({ alert: id, until, destinations, gone }: AlertEvents['AlertResolved'], at: Millis): void {
    const known = this.alerts.get(id);
    if (!known) return;
    this.alerts.delete(id);
    // That it lasts is not true any more.
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
