import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Database } from '../platform/sql.js';
import type { DeliveryOutcome } from '../domain/alerts/alert-ledger.js';
import { decideAlerts } from '../domain/alerts/decide-alerts.js';
import type { NewEvent } from '../domain/events.js';
import { EventStore } from '../event-log/event-store.js';
import { HttpClient } from '../platform/http.js';
import { JobHandlers } from '../platform/queues/job-handlers.js';
import { JobPostponed } from '../platform/queues/job-kind.js';
import { JobQueue } from '../platform/queues/job-queue.js';
import { ALERT_STREAM, AlertBook } from './alert-book.js';
import { ALERTS_OPTIONS, type AlertsOptions } from './alerts-options.js';
import { DELIVER_JOB, WATCH_JOB } from './alert-jobs.js';
import { readPresentHealth } from './present-health.js';
import { sendNotice } from './send-notice.js';

/** A notice that no destination took in this time is given up. */
const DEADLINE_MS = 24 * 3_600_000;

/** The pause before the next try: a quarter of the notice's age, within these. */
const SHORTEST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

/** Health is looked at so far before the oldest open alert, or now: longer than any rule waits, and than calm joins. */
const LOOKED_BACK_MS = 3_600_000;

/** Deliveries that one look gives to the queue; the next one gives it the others. */
const MOST_GIVEN = 1_000;

/**
 * Tells people of trouble. What was announced, and who has been told, stands in the log: a queue that is lost, hung or
 * flushed loses nothing, and a worker that dies while it sends makes one message come twice, with the same key.
 */
@Injectable()
export class AlertsService implements OnModuleInit, OnApplicationShutdown {
  private readonly http = new HttpClient();
  private readonly book: AlertBook;

  constructor(
    private readonly dataSource: Database,
    private readonly store: EventStore,
    private readonly queue: JobQueue,
    private readonly handlers: JobHandlers,
    @Inject(ALERTS_OPTIONS) private readonly options: AlertsOptions,
  ) {
    this.book = new AlertBook(store);
  }

  onModuleInit(): void {
    this.handlers.add(DELIVER_JOB, ({ notice, destination }, { signal }) =>
      this.deliver(notice, destination, signal),
    );
    if (this.options.destinations.length > 0) this.handlers.add(WATCH_JOB, () => this.watch());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  /** Records which alerts begin and end, and gives the queue what is to be delivered. */
  async watch(): Promise<void> {
    const { version } = await this.store.loadStream(ALERT_STREAM);
    const { open } = await this.book.read();
    const now = this.options.clock.now();
    const oldest = open.reduce((least, { since }) => Math.min(least, since), now);
    const spans = await readPresentHealth(this.dataSource, oldest - LOOKED_BACK_MS);
    const { raised, resolved } = decideAlerts(spans, open, now);
    const destinations = this.options.destinations.map(({ id }) => id);
    const events: NewEvent[] = [
      ...raised.map((alert) => ({
        type: 'AlertRaised' as const,
        observedAt: now,
        body: { alert, destinations },
      })),
      ...resolved.map((end) => ({
        type: 'AlertResolved' as const,
        observedAt: now,
        body: { ...end, destinations },
      })),
    ];
    // Another worker may append first. Then the next job looks again.
    if (events.length > 0)
      await this.store.append({ stream: ALERT_STREAM, expectedVersion: version, events });
    const { due } = await this.book.read();
    for (const delivery of due.slice(0, MOST_GIVEN)) await this.queue.add(DELIVER_JOB, delivery);
  }

  private async deliver(key: string, id: string, signal: AbortSignal): Promise<void> {
    const notice = (await this.book.read()).find(key);
    if (!notice?.waiting.has(id)) return;
    const destination = this.options.destinations.find((known) => known.id === id);
    if (!destination)
      return this.record(key, id, 'GIVEN_UP', 'the settings name no such destination any more');
    const failure = await sendNotice(this.http, destination, notice, signal);
    const age = Math.max(0, this.options.clock.now() - notice.at);
    if (failure === undefined) return this.record(key, id, 'DELIVERED', '');
    this.options.logger.warn(
      { destination: id, notice: key, reason: failure.detail },
      'an alert was not taken',
    );
    if (failure.isFinal) return this.record(key, id, 'REFUSED', failure.detail);
    if (age > DEADLINE_MS) return this.record(key, id, 'GIVEN_UP', failure.detail);
    throw new JobPostponed(
      Math.min(Math.max(age / 4, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS),
      `The destination ${id} did not take it: ${failure.detail}.`,
    );
  }

  private async record(
    notice: string,
    destination: string,
    outcome: DeliveryOutcome,
    detail: string,
  ): Promise<void> {
    const body = { notice, destination, outcome, detail };
    const event = { type: 'AlertDelivered', observedAt: this.options.clock.now(), body } as const;
    for (;;) {
      const { version } = await this.store.loadStream(ALERT_STREAM);
      const { won } = await this.store.append({
        stream: ALERT_STREAM,
        expectedVersion: version,
        events: [event],
      });
      if (won) return;
    }
  }
}
