import type { Millis } from '../time.js';
import type { AlertSeverity } from './alert-rules.js';

/** Trouble that people are told of, as it was when it was raised. */
export interface Alert {
  /** Plain ASCII; the same however often it is told. */
  readonly id: string;
  readonly rule: string;
  readonly severity: AlertSeverity;
  /** The chain, or the node where its chain is not known. */
  readonly owner: string;
  readonly chain: string | null;
  readonly nodes: readonly string[];
  /** On the observer's clock. */
  readonly since: Millis;
  readonly reason: string;
}

/** How a notice ended at a destination. */
export type DeliveryOutcome = 'DELIVERED' | 'REFUSED' | 'GIVEN_UP';

/** Bodies of the events that alerts leave. */
export interface AlertEvents {
  /** To be told to these destinations. */
  AlertRaised: { readonly alert: Alert; readonly destinations: readonly string[] };
  AlertResolved: {
    readonly alert: string;
    readonly until: Millis;
    readonly destinations: readonly string[];
  };
  /** A notice needs nothing more at a destination: it was taken, refused for good, or is too old. */
  AlertDelivered: {
    readonly notice: string;
    readonly destination: string;
    readonly outcome: DeliveryOutcome;
    readonly detail: string;
  };
}

/** One message about an alert. */
export interface Notice {
  /** The same at each try and at each destination. */
  readonly key: string;
  readonly alert: Alert;
  /** When it ended; null of the message that it began. */
  readonly until: Millis | null;
  /** When it was decided. */
  readonly at: Millis;
  /** Destinations that have not taken it. */
  readonly waiting: ReadonlySet<string>;
}

/** An event of alerts, with when it was observed. */
export type AlertEvent = {
  [T in keyof AlertEvents]: { readonly type: T; readonly at: Millis; readonly body: AlertEvents[T] };
}[keyof AlertEvents];

/** Knows which alerts were announced and who has yet to be told: a function of the log. */
export class AlertLedger {
  private readonly alerts = new Map<string, Alert>();
  private readonly notices = new Map<string, { notice: Omit<Notice, 'waiting'>; waiting: Set<string> }>();

  /** Takes the next event, in the order of their stream. */
  take(event: AlertEvent): void {
    if (event.type === 'AlertRaised') {
      const { alert, destinations } = event.body;
      this.alerts.set(alert.id, alert);
      this.note({ key: `${alert.id}-raised`, alert, until: null, at: event.at }, destinations);
    } else if (event.type === 'AlertResolved') {
      const { alert: id, until, destinations } = event.body;
      const alert = this.alerts.get(id);
      this.alerts.delete(id);
      if (alert) this.note({ key: `${id}-resolved`, alert, until, at: event.at }, destinations);
    } else {
      const { notice, destination } = event.body;
      const known = this.notices.get(notice);
      known?.waiting.delete(destination);
      if (known?.waiting.size === 0) this.notices.delete(notice);
    }
  }

  /** Alerts that were raised and not resolved. */
  get open(): readonly Alert[] {
    return [...this.alerts.values()];
  }

  /** The notice of a key; undefined once no destination waits for it. */
  find(key: string): Notice | undefined {
    const known = this.notices.get(key);
    return known && { ...known.notice, waiting: known.waiting };
  }

  /** The deliveries to make now, oldest first. A destination hears of the end of an alert after its beginning. */
  get due(): readonly { readonly notice: string; readonly destination: string }[] {
    return [...this.notices.values()].flatMap(({ notice: { key, alert, until }, waiting }) => {
      const before = until === null ? undefined : this.notices.get(`${alert.id}-raised`)?.waiting;
      return [...waiting]
        .filter((destination) => !before?.has(destination))
        .map((destination) => ({ notice: key, destination }));
    });
  }

  private note(notice: Omit<Notice, 'waiting'>, destinations: readonly string[]): void {
    if (destinations.length > 0) this.notices.set(notice.key, { notice, waiting: new Set(destinations) });
  }
}
