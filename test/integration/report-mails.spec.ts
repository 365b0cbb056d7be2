import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import type { AlertsOptions } from '../../src/alerts/alerts-options.js';
import { ReportMails } from '../../src/alerts/report-mails.js';
import { readReportMail } from '../../src/api/reports/report-mail.js';
import type { MailDestination } from '../../src/domain/alerts/destinations.js';
import type { ReportSchedule } from '../../src/domain/statistics/due-report.js';
import { millisToMicros } from '../../src/domain/time.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { JobHandlers } from '../../src/platform/queues/job-kind.js';
import { JobQueue } from '../../src/platform/queues/job-queue.js';
import { JobWorker } from '../../src/platform/queues/job-worker.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { insertRows } from '../support/read-model-rows.js';
import { startTestQueue, type TestQueue } from '../support/queue-backends.js';
import { waitFor } from '../support/service-process.js';
import { readPart, SmtpSink } from '../support/smtp-sink.js';
import { everyHour, StatisticsWorld } from '../support/statistics-world.js';

const logger = pino({ level: 'silent' });
const DAY_MS = 86_400_000;

interface Sent {
  readonly report: string;
  readonly outcome: string;
  readonly detail: string;
}

describe('reports by mail', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let now = Date.parse('2026-10-20T00:00:00Z');
  let database: TestDatabase;
  let source: DataSource;
  let queue: TestQueue;
  let smtp: SmtpSink;

  beforeAll(async () => {
    database = await startTestDatabase();
    source = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
    queue = await startTestQueue('postgres', 14);
    smtp = await SmtpSink.start();
    const world = new StatisticsWorld(source);
    await world.addNodes();
    await world.addSubmissions(1, everyHour('2026-09-15T22:00:00Z', '2026-11-05T00:00:00Z', 30));
    await world.addPrice('berlin-1', 'GAS_PRICE', null, { utia: '0.004' });
    await world.addCoverage('b1', '2026-09-15T22:00:00Z', '2026-11-05T00:00:00Z');
    await world.rollUp();
    // As if the projections had read all that these tests record.
    await source.query(
      "INSERT INTO projection_checkpoint (name, position, version) SELECT name, 1000000, 1 FROM unnest('{record,coverage,prices}'::text[]) name",
    );
  });

  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
    await smtp?.stop();
    await source?.destroy();
    await queue?.stop();
    await database?.stop();
  });

  /** A process of its own, as far as reports are concerned. */
  const start = (reports: readonly ReportSchedule[], works = true): ReportMails => {
    const real = new SystemClock();
    const clock = {
      now: () => now,
      monotonic: () => real.monotonic(),
      sleep: (ms: number, signal?: AbortSignal) => real.sleep(ms, signal),
    };
    const mailbox = (id: string): MailDestination => ({
      id,
      kind: 'email',
      url: `smtp://127.0.0.1:${smtp.port}`,
      from: 'us@x.org',
      to: `${id}@x.org`,
    });
    const destinations = [mailbox('ops'), mailbox('books')];
    const options: AlertsOptions = { destinations, rules: [], maintenance: [], reports, clock, logger };
    const handlers = new JobHandlers();
    const jobs = new JobQueue(queue.place, real, logger);
    const mails = new ReportMails(
      source,
      new EventStore(source),
      jobs,
      handlers,
      (...report) => readReportMail(source, ...report, { nowUs: millisToMicros(now) }),
      options,
    );
    mails.onModuleInit();
    const worker = new JobWorker(queue.place, handlers, real, logger);
    if (works) worker.start();
    endings.push(async () => {
      if (works) await worker.stop();
      await jobs.close();
      await mails.onApplicationShutdown();
    });
    return mails;
  };
  const read = async <Body>(type: string): Promise<Body[]> => {
    const rows = await source.query<{ body: Body }[]>(
      "SELECT body FROM event WHERE stream = 'berlin-1/operator' AND type = $1 ORDER BY version",
      [type],
    );
    return rows.map(({ body }) => body);
  };
  const periods = async (): Promise<string[]> =>
    (await read<{ period: string; destination: string }>('ReportRequested')).map(
      ({ period, destination }) => `${destination} ${period}`,
    );
  const ended = () => read<Sent>('ReportDelivered');
  const settled = (count: number): Promise<true> =>
    waitFor(`${count} reports to be delivered`, async () => {
      if ((await ended()).length === count) return true;
      await queue.hasten();
      return undefined;
    });
  const MONTHLY: ReportSchedule = { mail: 'ops', by: 'MONTH', chains: ['berlin-*'], locale: 'en' };

  it('begin with the last month that is over: once, whichever of two processes is first', async () => {
    const processes = [start([MONTHLY]), start([MONTHLY])];
    await Promise.all([...processes, ...processes].map((one) => one.request()));
    await settled(1);
    await Promise.all(processes.map((one) => one.request()));
    expect(await periods()).toEqual(['ops 2026-09']);
    expect(smtp.mails).toHaveLength(1);
  });

  it('are sent after the end of the month in the zone of the chain, as a table and a file', async () => {
    const mails = start([MONTHLY], false);
    now = Date.parse('2026-10-31T23:09:00Z');
    await mails.request();
    expect(await periods()).toHaveLength(1);
    now = Date.parse('2026-10-31T23:10:00Z');
    await mails.request();
    await settled(2);
    expect(await periods()).toEqual(['ops 2026-09', 'ops 2026-10']);
    const [, mail = ''] = smtp.mails;
    expect(mail).toMatch(/^Subject: DA cost of chain berlin-1, 2026-10-01 to 2026-10-31\r$/m);
    expect(mail).toMatch(/^Message-ID: <report-2026-10-[\da-f]{8}-ops@hindsight>\r$/im);
    expect(mail).toMatch(/^To: ops@x.org\r$/m);
    const part = (type: string): string => readPart(mail, type);
    const text = part('text/plain');
    expect(text).toContain('DA cost of chain berlin-1');
    // October has 745 hours in Berlin, with a submission of 320 utia each.
    expect(text).toMatch(/^2026-10-31 +24 .*0\.007680/m);
    expect(text).toMatch(/^Total +745 .*0\.238400/m);
    expect(part('text/html')).toMatch(/^<pre>DA cost of chain berlin-1[^]*0\.238400/);
    expect(mail).toContain('filename=da-cost.csv');
    const lines = part('text/csv').trim().split('\n');
    expect(lines).toHaveLength(1 + 31 + 1);
    expect(lines.at(-1)).toContain('0.238400');
  });

  it('wait for a month that is not counted, and after three days say so', async () => {
    const mails = start([{ ...MONTHLY, mail: 'books', locale: 'de' }], false);
    await insertRows(source, 'roll_up_mark', [
      {
        node_key: 0,
        chain: 'berlin-1',
        quarter_at: '2026-10-10T10:00:00Z',
        marked_at: new Date(now).toISOString(),
      },
    ]);
    await mails.request();
    expect(await periods()).toHaveLength(2);
    now = Date.parse('2026-10-31T23:00:00Z') + 3 * DAY_MS;
    await mails.request();
    await settled(3);
    expect((await periods()).at(-1)).toBe('books 2026-10');
    const mail = smtp.mails.at(-1) ?? '';
    expect(mail.replaceAll('=\r\n', '')).toContain('Not counted yet');
    await source.query('DELETE FROM roll_up_mark');
  });

  it('are tried again for hours while the server is away, with the same Message-ID', async () => {
    const mails = start([MONTHLY, { ...MONTHLY, mail: 'books', by: 'QUARTER' }], false);
    smtp.answer = 421;
    const before = smtp.mails.length;
    await mails.request();
    await waitFor('two tries', async () => {
      await queue.hasten();
      return smtp.mails.length >= before + 2 || undefined;
    });
    expect(await ended()).toHaveLength(3);
    smtp.answer = 250;
    await settled(4);
    expect((await periods()).at(-1)).toBe('books 2026-Q3');
    const ids = smtp.mails.slice(before).map((mail) => /^Message-ID: (.*)\r$/im.exec(mail)?.[1]);
    expect(new Set(ids).size).toBe(1);
    expect((await ended()).map(({ outcome }) => outcome)).toEqual(Array(4).fill('DELIVERED'));
  });

  it('are given up if the settings no longer have their destination, or the server refuses them', async () => {
    const mails = start(
      [
        { ...MONTHLY, by: 'QUARTER' },
        { ...MONTHLY, mail: 'gone' },
      ],
      false,
    );
    smtp.answer = 554;
    await mails.request();
    await settled(6);
    smtp.answer = 250;
    const last = (await ended()).slice(4).map(({ outcome, detail }) => `${outcome}: ${detail}`);
    expect(last.toSorted()).toEqual([
      'GIVEN_UP: the settings no longer have this destination',
      'REFUSED: it answered 554',
    ]);
  });
});
