import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Database } from '../platform/sql.js';
import type {
  Alert,
  AlertEvents,
  AlertLedger,
  DeliveryOutcome,
  Notice,
} from '../domain/alerts/alert-ledger.js';
import { isAlertMuted, type Mute } from '../domain/alerts/alert-scope.js';
import { decideAlerts, lookBackOf } from '../domain/alerts/decide-alerts.js';
import { findPauses } from '../domain/alerts/destinations.js';
import type { Millis } from '../domain/time.js';
import { EventStore } from '../event-log/event-store.js';
import { JobHandlers } from '../platform/queues/job-kind.js';
import { JobQueue } from '../platform/queues/job-queue.js';
import { RareLog } from '../platform/rare-log.js';
import { AlertBook, type NewAlertEvent } from './alert-book.js';
import { DELIVER_JOB, WATCH_JOB } from './alert-jobs.js';
import { AlertLinks } from './alert-links.js';
import { withRemedyOfCause } from './alert-remedies.js';
import { ALERTS_OPTIONS, type AlertsOptions } from './alerts-options.js';
import { ConditionSampler } from './condition-sampler.js';
import { Outbox, type RecordOutcome } from './outbox.js';
import { readHealth } from './health-spans.js';
import { readMonitoredTimes } from './monitored-times.js';
import { readReasonsOfNow } from './present-words.js';
import { sendNotice } from './send-notice.js';

/** The most deliveries that one run adds to the queue; the next run adds the others. */
const MOST_GIVEN = 1_000;

/**
 * Reports trouble to people. Announcements and deliveries are stored in the log, so a queue that is lost, hung or flushed loses
 * nothing. If a worker dies while it sends, the message arrives twice, with the same key.
 */
@Injectable()
export class AlertsService implements OnModuleInit, OnApplicationShutdown {
  private readonly book: AlertBook;
  private readonly outbox: Outbox<Notice>;
  private readonly complaints: RareLog;

  constructor(
    private readonly writes: Database,
    store: EventStore,
    private readonly queue: JobQueue,
    private readonly handlers: JobHandlers,
    private readonly sampler: ConditionSampler,
    private readonly links: AlertLinks,
    @Inject(ALERTS_OPTIONS) private readonly options: AlertsOptions,
  ) {
    this.book = new AlertBook(store);
    this.complaints = new RareLog(options.clock, options.logger);
    const { clock, logger } = options;
    const record: RecordOutcome<Notice> = ({ key }, ...outcome) => this.record(key, ...outcome);
    this.outbox = new Outbox(clock, logger, record, sendNotice);
  }

  onModuleInit(): void {
    this.handlers.add(DELIVER_JOB, ({ notice, destination }) => this.deliver(notice, destination));
    if (this.options.destinations.length > 0) this.handlers.add(WATCH_JOB, () => this.watch());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.outbox.close();
  }

  /** Records which alerts begin, continue and end, and adds due deliveries to the queue. */
  async watch(): Promise<void> {
    // If another worker writes first, the next job decides again.
    await this.book.record((ledger) => this.decide(ledger));
    const { due } = await this.book.read();
    for (const delivery of due.slice(0, MOST_GIVEN)) await this.queue.add(DELIVER_JOB, delivery);
  }

  private async decide(ledger: AlertLedger): Promise<NewAlertEvent[]> {
    const { clock, rules, maintenance } = this.options;
    const now = clock.now();
    const { open } = ledger;
    const oldest = open.reduce((least, { since }) => Math.min(least, since), now);
    const from = oldest - lookBackOf(rules);
    const times = await readMonitoredTimes(this.writes);
    const health = await readHealth(this.writes, { nodes: times.nodesBetween(from, now), from, to: now });
    const sampled = await this.sampler.getSpans(open, now);
    const mutes = [...maintenance, ...ledger.mutesAt(now)];
    const facts = {
      rules,
      health: health.flatMap((span) => times.cut(span)),
      sampled,
      mutes,
      watched: [...times.nodesAt(now).keys()],
    };
    const { raised, resolved } = decideAlerts(facts, open, now);
    const over = new Set(resolved.map(({ alert }) => alert));
    const due = this.toRemind(ledger, mutes, now).filter(({ alert }) => !over.has(alert));
    const lasting = open.filter(({ id }) => due.some(({ alert }) => alert === id));
    const reasons = await readReasonsOfNow(this.writes, [...raised, ...lasting], rules, now);
    const reminded = due.map((body) => withReason(body, reasons.get(body.alert)));
    const alerts: Alert[] = [];
    for (const alert of raised) {
      const reasoned = withReason(alert, reasons.get(alert.id));
      alerts.push(await this.links.addTo(await this.addRemedy(reasoned, now)));
    }
    return [
      ...alerts.map((alert) => newEvent(now, 'AlertRaised', { alert, destinations: this.toTell(alert) })),
      ...reminded.map((body) => newEvent(now, 'AlertReminded', body)),
      ...(await this.findAcknowledged(ledger, over)).map((body) => newEvent(now, 'AlertAcknowledged', body)),
      ...resolved.map((end) =>
        newEvent(now, 'AlertResolved', { ...end, destinations: this.toTellOfEnd(ledger, end.alert) }),
      ),
    ];
  }

  /** New acknowledgements of incidents, for destinations that have incidents of their own. Errors are logged. */
  private async findAcknowledged(
    ledger: AlertLedger,
    over: ReadonlySet<string>,
  ): Promise<AlertEvents['AlertAcknowledged'][]> {
    const paged = this.options.destinations.flatMap(({ id, kind }) => (kind === 'pagerduty' ? id : []));
    const found: AlertEvents['AlertAcknowledged'][] = [];
    for (const alert of ledger.unacknowledged) {
      const destinations = ledger.toldOf(alert.id).filter((id) => paged.includes(id));
      if (destinations.length === 0 || over.has(alert.id)) continue;
      const incident = await this.links.findIncident(alert).catch((error: unknown) => {
        this.complaints.warn(error, 'the incident of an alert was not found');
      });
      const by = incident?.acknowledgedBy ?? null;
      if (by !== null) found.push({ alert: alert.id, by, destinations });
    }
    return found;
  }

  /** Errors are logged and never delay an alert. */
  private addRemedy(alert: Alert, now: Millis): Promise<Alert> {
    return withRemedyOfCause(this.writes, alert, now).catch((error: unknown) => {
      this.complaints.warn(error, 'the cause of failures for an alert was not found');
      return alert;
    });
  }

  /** During a silence, only Alertmanager is reminded: it ends an alert that is not repeated. */
  private toRemind(ledger: AlertLedger, mutes: readonly Mute[], now: Millis): AlertEvents['AlertReminded'][] {
    const { destinations } = this.options;
    const muted = new Set(ledger.open.filter((alert) => isAlertMuted(mutes, alert, now)).map(({ id }) => id));
    const holding = new Set(destinations.flatMap(({ id, kind }) => (kind === 'alertmanager' ? id : [])));
    return ledger.toRemind(findPauses(destinations), now).flatMap(({ alert, destinations: due }) => {
      const receivers = due.filter((id) => !muted.has(alert) || holding.has(id));
      return receivers.length > 0 ? [{ alert, destinations: receivers }] : [];
    });
  }

  private toTell({ rule }: Alert): string[] {
    const named = this.options.rules.find(({ name }) => name === rule)?.destinations;
    return this.options.destinations.map(({ id }) => id).filter((id) => named?.includes(id) ?? true);
  }

  private toTellOfEnd(ledger: AlertLedger, id: string): readonly string[] {
    const { rules, destinations } = this.options;
    const rule = ledger.open.find((alert) => alert.id === id)?.rule;
    const receivers = ledger.toldOf(id);
    if (rules.find(({ name }) => name === rule)?.tellsEnd ?? true) return receivers;
    // Not a message to people: without it, Alertmanager would keep the alert open for days.
    return receivers.filter((to) => destinations.some((one) => one.id === to && one.kind === 'alertmanager'));
  }

  private async deliver(key: string, id: string): Promise<void> {
    const notice = (await this.book.read()).find(key);
    if (!notice?.waiting.has(id)) return;
    const destination = this.options.destinations.find((known) => known.id === id);
    if (destination) return this.outbox.send(notice, destination);
    await this.record(key, id, 'GIVEN_UP', 'the settings no longer have this destination');
  }

  private async record(
    notice: string,
    destination: string,
    outcome: DeliveryOutcome,
    detail: string,
  ): Promise<void> {
    const body = { notice, destination, outcome, detail };
    const event = { type: 'AlertDelivered', observedAt: this.options.clock.now(), body } as const;
    while (!(await this.book.record(() => Promise.resolve([event]))));
  }
}

function withReason<T extends { readonly reason?: string }>(body: T, reason: string | undefined): T {
  return reason === undefined ? body : { ...body, reason };
}

function newEvent<T extends NewAlertEvent['type']>(
  observedAt: Millis,
  type: T,
  body: Extract<NewAlertEvent, { type: T }>['body'],
): NewAlertEvent {
  return { type, observedAt, body } as NewAlertEvent;
}
