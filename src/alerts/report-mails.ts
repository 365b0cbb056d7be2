import { createHash } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { isInScope } from '../domain/alerts/alert-scope.js';
import { findDueReport, type ReportSchedule, type RequestedReport } from '../domain/statistics/due-report.js';
import type { EventBodies } from '../domain/events.js';
import { microsToMillis, millisToMicros, type Millis } from '../domain/time.js';
import { appendNext } from '../event-log/append-next.js';
import { EventStore } from '../event-log/event-store.js';
import { JobHandlers } from '../platform/queues/job-kind.js';
import { JobQueue } from '../platform/queues/job-queue.js';
import { RareLog } from '../platform/rare-log.js';
import { Database } from '../platform/sql.js';
import { getRecordedChains, type RecordedChain } from '../statistics/read/plan/recorded-chains.query.js';
import { MAIL_JOB, REPORTS_JOB } from './alert-jobs.js';
import { ALERTS_OPTIONS, READ_REPORT, type AlertsOptions, type ReadReport } from './alerts-options.js';
import { Outbox, type RecordOutcome } from './outbox.js';
import type { SendFailure } from './send-failure.js';
import { sendMail } from './send-mail.js';

/** A report waits this long for its figures to be counted. Then it is sent, and says what is unknown. */
const LONGEST_WAIT_MS = 3 * 24 * 3_600_000;

/** Latest events of a chain that are read: a period has two for each destination, of which there are at most 50. */
const MOST_EVENTS = 400;

/** A report of a chain that no destination has accepted or refused. */
interface Pending extends RequestedReport {
  readonly chain: string;
  readonly at: Millis;
}

/** The requested reports of a chain, as its stream has them. */
interface Requests {
  readonly pending: readonly Pending[];
  /** The last period, by {@link lineOf}. */
  readonly last: Map<string, string>;
}

/**
 * Sends the costs of each month or quarter by mail. A request is recorded before the mail is sent, at the version of the
 * chain's stream that it was decided on: so each period is requested once, however many processes there are. If a worker dies
 * while it sends, the mail arrives twice, with the same Message-ID.
 */
@Injectable()
export class ReportMails implements OnModuleInit, OnApplicationShutdown {
  private readonly outbox: Outbox<Pending>;
  private readonly complaints: RareLog;

  constructor(
    private readonly writes: Database,
    private readonly store: EventStore,
    private readonly queue: JobQueue,
    private readonly handlers: JobHandlers,
    @Inject(READ_REPORT) private readonly readReport: ReadReport,
    @Inject(ALERTS_OPTIONS) private readonly options: AlertsOptions,
  ) {
    const { clock, logger } = options;
    this.complaints = new RareLog(clock, logger);
    const record: RecordOutcome<Pending> = ({ chain, key: report }, _destination, outcome, detail) =>
      this.record(chain, { report, outcome, detail });
    this.outbox = new Outbox(clock, logger, record, (_http, destination, report, _now, signal) =>
      destination.kind === 'email'
        ? this.post(destination, report, signal)
        : Promise.resolve({ isFinal: true, detail: 'it is no mail address' }),
    );
  }

  onModuleInit(): void {
    this.handlers.add(MAIL_JOB, ({ chain, report }) => this.deliver(chain, report));
    if (this.schedules.length > 0) this.handlers.add(REPORTS_JOB, () => this.request());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.outbox.close();
  }

  /** Requests the reports that are due, and adds those that wait to the queue. */
  async request(): Promise<void> {
    const nowUs = millisToMicros(this.options.clock.now());
    for (const chain of await getRecordedChains(this.writes, nowUs)) {
      await this.requestOf(chain).catch((error: unknown) => {
        this.complaints.warn(error, 'whether a report is due could not be decided');
      });
    }
  }

  private async requestOf(recorded: RecordedChain): Promise<void> {
    const { chain } = recorded;
    const stream = streamOf(chain);
    const { version } = await this.store.loadStream(stream);
    const { pending, last } = await this.read(chain);
    const requests: RequestedReport[] = [];
    for (const schedule of this.schedules) {
      const report = this.findDue(schedule, recorded, last);
      if (report === undefined || !(await this.isReady(chain, report))) continue;
      last.set(lineOf(report), report.period);
      requests.push(report);
    }
    const observedAt = this.options.clock.now();
    const events = requests.map((body) => ({ type: 'ReportRequested', observedAt, body }) as const);
    // If another worker writes first, the next job decides again.
    const isWon =
      events.length > 0 && (await this.store.append({ stream, expectedVersion: version, events })).won;
    for (const { key: report } of [...pending, ...(isWon ? requests : [])])
      await this.queue.add(MAIL_JOB, { chain, report });
  }

  private findDue(
    { mail: destination, by, chains, locale }: ReportSchedule,
    { chain, zone, extent }: RecordedChain,
    last: ReadonlyMap<string, string>,
  ): RequestedReport | undefined {
    if (!isInScope({ chains }, { rule: '', node: null, chain })) return undefined;
    const nowUs = millisToMicros(this.options.clock.now());
    const due = findDueReport({ nowUs, zone, by, last: last.get(lineOf({ destination, by })) });
    const isRecorded = due && extent && extent.fromUs < due.toUs && extent.lastUs >= due.fromUs;
    if (!isRecorded) return undefined;
    const { period, fromUs, toUs } = due;
    const of = createHash('sha256').update(chain).digest('hex').slice(0, 8);
    const [from, to] = [microsToMillis(fromUs), microsToMillis(toUs)];
    return { key: `report-${period}-${of}-${destination}`, destination, by, period, from, to, locale };
  }

  private async isReady(chain: string, report: RequestedReport): Promise<boolean> {
    if (this.options.clock.now() - report.to >= LONGEST_WAIT_MS) return true;
    return (await this.readReport(chain, report)).isCounted;
  }

  private async read(chain: string): Promise<Requests> {
    const types = ['ReportRequested', 'ReportDelivered'] as const;
    const events = await this.store.readStreamBack(streamOf(chain), types, MOST_EVENTS);
    const ended = new Set<string>();
    const pending: Pending[] = [];
    const last = new Map<string, string>();
    // The latest event is the first.
    for (const { type, body, observedAt } of events) {
      if (type === 'ReportDelivered') ended.add(body.report);
      if (type !== 'ReportRequested') continue;
      const line = lineOf(body);
      if (!last.has(line)) last.set(line, body.period);
      if (!ended.has(body.key)) pending.push({ ...body, chain, at: microsToMillis(observedAt) });
    }
    return { pending, last };
  }

  private async deliver(chain: string, key: string): Promise<void> {
    const report = (await this.read(chain)).pending.find((one) => one.key === key);
    if (report === undefined) return;
    const destination = this.options.destinations.find(({ id }) => id === report.destination);
    if (destination) return this.outbox.send(report, destination);
    const detail = 'the settings no longer have this destination';
    await this.record(chain, { report: key, outcome: 'GIVEN_UP', detail });
  }

  private async post(
    destination: Parameters<typeof sendMail>[0],
    report: Pending,
    signal: AbortSignal,
  ): Promise<SendFailure | undefined> {
    const { key, at, chain } = report;
    try {
      return await sendMail(destination, { ...(await this.readReport(chain, report)), key, at }, signal);
    } catch (error) {
      this.complaints.warn(error, 'a report could not be read');
      return { isFinal: false, detail: 'the report could not be read' };
    }
  }

  private async record(chain: string, body: EventBodies['ReportDelivered']): Promise<void> {
    await appendNext(this.store, streamOf(chain), {
      type: 'ReportDelivered',
      observedAt: this.options.clock.now(),
      body,
    });
  }

  private get schedules(): readonly ReportSchedule[] {
    return this.options.reports ?? [];
  }
}

function streamOf(chain: string): string {
  return `${chain}/operator`;
}

/** Reports of which each period is sent once: those of one destination, by month or by quarter. */
function lineOf({ destination, by }: Pick<RequestedReport, 'destination' | 'by'>): string {
  return `${destination} ${by}`;
}
