import { pino } from 'pino';
import type { AlertsOptions } from '../../src/alerts/alerts-options.js';
import { AlertBook } from '../../src/alerts/alert-book.js';
import { Outbox, type RecordOutcome } from '../../src/alerts/outbox.js';
import { Silences } from '../../src/alerts/silences.js';
import type { Alert, Notice } from '../../src/domain/alerts/alert-ledger.js';
import { ALERT_RULES } from '../../src/domain/alerts/alert-rules.js';
import type { HttpDestination } from '../../src/domain/alerts/destinations.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { sendNotice } from '../../src/alerts/send-notice.js';
import { SystemClock, type Clock } from '../../src/platform/clock.js';
import { HttpClient } from '../../src/platform/http.js';
import { JobHandlers } from '../../src/platform/queues/job-kind.js';
import { JobQueue } from '../../src/platform/queues/job-queue.js';
import { newAlerts } from '../support/alerts.js';
import { HttpSink } from '../support/http-sink.js';
import { startTestQueue, type TestQueue } from '../support/queue-backends.js';
import { useDatabase } from '../support/use-database.js';

const SINCE = Date.UTC(2026, 0, 2, 3, 4, 5);
const alertOf = (number: number): Alert => ({
  id: `da-failing-${number}`,
  rule: 'da-failing',
  severity: 'CRITICAL',
  owner: `chain-${number}`,
  chain: `chain-${number}`,
  nodes: ['n'],
  since: SINCE,
  reason: 'it fails',
});

describe('the delivery of an alert', () => {
  const real = new SystemClock();
  /** How far the clock for pauses was moved forward, in milliseconds. */
  let steps = 0;
  const clock: Clock = {
    now: () => real.now(),
    monotonic: () => real.monotonic() + steps,
    sleep: (...given) => real.sleep(...given),
  };
  const recorded: string[] = [];
  let sink: HttpSink;
  let other: HttpSink;
  let outbox: Outbox<Notice>;

  beforeAll(async () => {
    [sink, other] = [await HttpSink.start(), await HttpSink.start()];
    const record: RecordOutcome<Notice> = ({ key }, destination, outcome) => {
      recorded.push(`${key} ${destination} ${outcome}`);
      return Promise.resolve();
    };
    outbox = new Outbox(clock, pino({ level: 'silent' }), record, sendNotice);
  });

  afterAll(async () => {
    await outbox?.close();
    await Promise.all([sink, other].map((one) => one?.stop()));
  });

  const noticeOf = (number: number): Notice => ({
    key: `da-failing-${number}-raised`,
    alert: alertOf(number),
    status: 'RAISED',
    until: null,
    at: Date.now(),
    waiting: new Set(['ops']),
  });
  const to = (id: string, { url }: HttpSink): HttpDestination => ({ id, kind: 'webhook', url });

  it('gives its slot back after a second when a destination hangs, and sends nothing twice meanwhile', async () => {
    sink.status = 'hold';
    const postponed = await Promise.all(
      [1, 2, 3].map((number) =>
        outbox.send(noticeOf(number), to('ops', sink)).catch((error: unknown) => error),
      ),
    );
    expect(postponed).toEqual([
      expect.objectContaining({ name: 'JobPostponed' }),
      expect.objectContaining({ name: 'JobPostponed' }),
      expect.objectContaining({ name: 'JobPostponed' }),
    ]);
    // Longer than the wait for the answer: no other worker begins before.
    expect(postponed[0]).toMatchObject({ delayMs: 20_000 });
    expect(sink.taken).toHaveLength(1);
    expect(recorded).toEqual([]);
  });

  it('never lets a message wait behind one that hangs', async () => {
    const from = Date.now();
    for (let number = 10; number < 30; number += 1) {
      const postponed: unknown = await outbox
        .send(noticeOf(number), to('ops', sink))
        .catch((error: unknown) => error);
      expect(postponed).toMatchObject({ name: 'JobPostponed', delayMs: 20_000 });
    }
    // Twenty of them would hold their slots for a second each.
    expect(Date.now() - from).toBeLessThan(20_000);
    expect(sink.taken).toHaveLength(1);
  });

  it('continues with other destinations meanwhile, one message after the other', async () => {
    await Promise.all([4, 5, 6].map((number) => outbox.send(noticeOf(number), to('chat', other))));
    expect(other.taken).toHaveLength(3);
    expect(recorded).toEqual([4, 5, 6].map((number) => `da-failing-${number}-raised chat DELIVERED`));
  });

  it('accepts the head of an answer as the answer, even if the rest does not come', async () => {
    other.cuts = true;
    for (const [number, status] of [
      [41, 202],
      [42, 401],
    ] as const) {
      other.status = status;
      await outbox.send(noticeOf(number), to('cut', other));
    }
    other.status = 503;
    await expect(outbox.send(noticeOf(43), to('cut', other))).rejects.toMatchObject({ name: 'JobPostponed' });
    expect(recorded.filter((line) => line.includes(' cut '))).toEqual([
      'da-failing-41-raised cut DELIVERED',
      'da-failing-42-raised cut REFUSED',
    ]);
    [other.cuts, other.status] = [false, 200];
  });

  const KEY = 'K'.repeat(32);
  const destinationOf = (kind: HttpDestination['kind'], url: string): HttpDestination => {
    if (kind === 'pagerduty') return { id: 'chat', kind, url, routingKey: KEY };
    return kind === 'telegram' ? { id: 'chat', kind, url, chat: '@ops_room' } : { id: 'chat', kind, url };
  };

  // Answers as Telegram and PagerDuty document them.
  it.each<[HttpDestination['kind'], number, string, string, boolean]>([
    [
      'telegram',
      400,
      '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}',
      'it answered 400: Bad Request: chat not found',
      true,
    ],
    [
      'telegram',
      429,
      '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 14"}',
      'it answered 429: Too Many Requests: retry after 14',
      false,
    ],
    [
      'pagerduty',
      400,
      `{"status":"invalid event","message":"Event object is invalid","errors":["'${KEY}' is no key"]}`,
      'it answered 400: Event object is invalid',
      true,
    ],
    ['pagerduty', 400, `{"message":"no service has ${KEY}"}`, 'it answered 400: no service has ***', true],
    ['pagerduty', 429, '', 'it answered 429', false],
    ['teams', 404, '<html>gone</html>', 'it answered 404', false],
  ])('repeats why a %s refuses (%i)', async (kind, status, body, detail, isFinal) => {
    Object.assign(other, { status, body });
    const http = new HttpClient();
    const destination = destinationOf(kind, other.url);
    const failure = await sendNotice(
      http,
      destination,
      noticeOf(51),
      Date.now(),
      new AbortController().signal,
    );
    expect(failure).toMatchObject({ detail, isFinal });
    await http.close();
    Object.assign(other, { status: 200, body: 'ok' });
  });

  it('repeats no token of a bot', async () => {
    const token = '123456:AAbbCCddEEffGGhhIIjjKK';
    Object.assign(other, { status: 401, body: `{"ok":false,"description":"no bot has ${token}"}` });
    const http = new HttpClient();
    const destination = destinationOf('telegram', `${other.url}/bot${token}/sendMessage`);
    const failure = await sendNotice(
      http,
      destination,
      noticeOf(52),
      Date.now(),
      new AbortController().signal,
    );
    expect(failure?.detail).toBe('it answered 401: no bot has ***');
    await http.close();
    Object.assign(other, { status: 200, body: 'ok' });
  });

  it.each<[HttpDestination['kind'], number, string, string | undefined]>([
    ['slack', 200, 'ok', undefined],
    ['slack', 204, '', undefined],
    ['slack', 200, 'no_service', 'it answered 200, but no_service'],
    ['slack', 200, '{"ok":false}', 'it answered 200, but {"ok":false}'],
    ['slack', 200, '', 'it answered 200, but nothing more'],
    ['webhook', 202, '{"status":"success"}', undefined],
    ['webhook', 200, '<p>ok', undefined],
    ['webhook', 200, '', undefined],
    ['webhook', 200, '{"ok":true,"result":{"ok":false}}', undefined],
    ['webhook', 200, '{"result":{},"ok":false}', 'it answered 200, but {"result":{},"ok":false}'],
    ['webhook', 200, '{"success":false}', 'it answered 200, but {"success":false}'],
    [
      'webhook',
      200,
      `{"ok":false,"description":"${'x'.repeat(9_000)}"}`,
      'it answered 200, but {"ok":false,',
    ],
    ['webhook', 200, '\ufeff<!DOCTYPE html><title>\u001b[31mSign\nin</title>', 'but a page: ?[31mSign in'],
    ['webhook', 200, 'no hook-0123456789: {"ok":false}', undefined],
    ['webhook', 201, '{"ok":false,"at":"/hook-0123456789"}', 'it answered 201, but {"ok":false,"at":"/***"}'],
    ['alertmanager', 200, '', undefined],
    ['alertmanager', 200, '<html><body>hook-0123456789', 'it answered 200, but a page:'],
    ['teams', 202, '', undefined],
    ['telegram', 200, '{"ok":true,"result":{"message_id":7}}', undefined],
    ['pagerduty', 202, '{"status":"success","message":"Event processed","dedup_key":"x"}', undefined],
  ])('judges an answer by its content: case %# of a %s', async (kind, status, body, reason) => {
    Object.assign(other, { status, body });
    const http = new HttpClient();
    const destination = destinationOf(kind, `${other.url}/hook-0123456789`);
    const failure = await sendNotice(
      http,
      destination,
      noticeOf(50),
      Date.now(),
      new AbortController().signal,
    );
    if (reason === undefined) expect(failure).toBeUndefined();
    else expect(failure).toEqual({ isFinal: false, detail: expect.stringContaining(reason) as unknown });
    expect(failure?.detail.length ?? 0).toBeLessThan(120);
    await http.close();
    Object.assign(other, { status: 200, body: 'ok' });
  });

  it('retries a message that was answered with 200 but not accepted', async () => {
    other.body = 'no_service';
    const sent = outbox.send(noticeOf(51), { id: 'slack', kind: 'slack', url: other.url });
    await expect(sent).rejects.toMatchObject({ name: 'JobPostponed', delayMs: 5_000 });
    other.body = 'ok';
    await outbox.send(noticeOf(51), { id: 'slack', kind: 'slack', url: other.url });
    expect(recorded.filter((line) => line.includes(' slack '))).toEqual([
      'da-failing-51-raised slack DELIVERED',
    ]);
  });

  it('leaves a destination alone for as long as it asks, five minutes at most', async () => {
    other.status = 429;
    for (const [index, [said, pauseMs]] of [
      ['30', 30_000],
      ['1', 5_000],
      ['86400', 300_000],
      ['Fri, 31 Dec 1999 23:59:59 GMT', 5_000],
    ].entries()) {
      other.headers = { 'retry-after': String(said) };
      const sent = outbox.send(noticeOf(60 + index), to(`busy-${index}`, other));
      await expect(sent).rejects.toMatchObject({ name: 'JobPostponed', delayMs: pauseMs });
    }
    [other.headers, other.status] = [{}, 200];
  });

  it('sends no other message to a destination that requested a pause, in a header or in its answer', async () => {
    Object.assign(other, { status: 429, body: '{"ok":false,"parameters":{"retry_after":30.5}}' });
    const sent = outbox.send(noticeOf(70), to('limited', other));
    await expect(sent).rejects.toMatchObject({ delayMs: 30_500 });
    Object.assign(other, { status: 200, body: 'ok' });
    const before = other.taken.length;
    const held: unknown = await outbox
      .send(noticeOf(71), to('limited', other))
      .catch((error: unknown) => error);
    expect(held).toMatchObject({
      name: 'JobPostponed',
      message: expect.stringContaining('pause') as unknown,
    });
    expect(other.taken).toHaveLength(before);
    steps += 31_000;
    for (const number of [70, 71]) await outbox.send(noticeOf(number), to('limited', other));
    expect(other.taken).toHaveLength(before + 2);
  });

  it('sends the next message to a destination that refuses one for good', async () => {
    other.status = 400;
    await outbox.send(noticeOf(80), to('picky', other));
    other.status = 200;
    await outbox.send(noticeOf(81), to('picky', other));
    expect(recorded.filter((line) => line.includes(' picky '))).toEqual([
      'da-failing-80-raised picky REFUSED',
      'da-failing-81-raised picky DELIVERED',
    ]);
  });

  it('ends running deliveries when it is closed', async () => {
    const before = [...recorded];
    await outbox.close();
    expect(recorded).toEqual(before);
  });
});

describe('the alert ledger', () => {
  const dataSource = useDatabase();

  it('is kept in the log, so a new process reads only what came since', async () => {
    const store = new EventStore(dataSource);
    const book = new AlertBook(store);
    const events = Array.from({ length: 230 }, (_, number) => ({
      type: 'AlertRaised' as const,
      observedAt: SINCE + number,
      body: { alert: alertOf(number), destinations: ['ops'] },
    }));
    for (let at = 0; at < events.length; at += 23)
      expect(await book.record(() => Promise.resolve(events.slice(at, at + 23)))).toBe(true);
    await book.record(() =>
      Promise.resolve([
        {
          type: 'AlertResolved' as const,
          observedAt: SINCE,
          body: { alert: 'da-failing-0', until: SINCE, destinations: ['ops'] },
        },
      ]),
    );
    const [head] = await dataSource.query<{ version: bigint }[]>(
      "SELECT (state->>'version')::bigint AS version FROM stream_head WHERE stream = '*/operator'",
    );
    const kept = head?.version ?? 0n;
    expect(kept).toBe(207n);
    const onlyNewer = {
      loadStream: (stream: string) => store.loadStream(stream),
      append: () => Promise.reject(new Error('nothing is appended')),
      readStreamBack: async (...asked: Parameters<EventStore['readStreamBack']>) =>
        (await store.readStreamBack(...asked)).filter(({ version }) => version > kept),
    };
    const known = await book.read();
    expect((await new AlertBook(onlyNewer).read()).state).toEqual(known.state);
    expect(known.open).toHaveLength(229);
    await dataSource.query("UPDATE stream_head SET state = NULL WHERE stream = '*/operator'");
    expect((await new AlertBook(store).read()).state).toEqual(known.state);
  });

  it('records what several processes say about silences, each once', async () => {
    const now = Date.now();
    const [one, two] = [new Silences(new EventStore(dataSource)), new Silences(new EventStore(dataSource))];
    const requested = { scope: { nodes: ['n*'] }, until: now + 60_000, note: 'we know', by: 'a-key' };
    const [first, second] = await Promise.all([
      one.add(requested, now),
      two.add({ ...requested, by: 'other' }, now),
    ]);
    expect((await two.getSilences(now)).map(({ by }) => by).toSorted()).toEqual(['a-key', 'other']);
    expect(await one.getSilences(now + 60_000)).toEqual([]);
    expect(await two.lift(first?.id ?? '', 'me', now)).toEqual(first);
    expect(await two.lift(first?.id ?? '', 'me', now)).toBeUndefined();
    expect(await one.getSilences(now)).toEqual([second]);
    await expect(one.add({ ...requested, until: now }, now)).rejects.toThrow('must end in the future');
    const bodies = await dataSource.query<{ body: unknown }[]>(
      "SELECT body FROM event WHERE type IN ('AlertsSilenced', 'SilenceLifted') ORDER BY position",
    );
    expect(bodies).toHaveLength(3);
    expect(bodies[2]).toEqual({ body: { silence: first?.id, by: 'me' } });
  });
});

describe('a check of alerts', () => {
  const dataSource = useDatabase();
  const clock = new SystemClock();
  const logger = pino({ level: 'silent' });
  let queue: TestQueue;
  let jobs: JobQueue;

  beforeAll(async () => {
    queue = await startTestQueue('postgres', 0);
    jobs = new JobQueue(queue.place, clock, logger);
    await dataSource.query(`INSERT INTO node (node_key, id, url, chain_id, from_position)
      VALUES (1, 'n1', 'http://n1', 'alpha-1', 1)`);
    await dataSource.query(`INSERT INTO health_interval (node, component, from_at, to_at, state, rule, reason, differed_ms, from_position)
      VALUES ('n1', 'DA', now() - interval '10 min', NULL, 'CRITICAL', 'failing', 'it fails', 0, 1)`);
  });

  afterAll(async () => {
    await jobs?.close();
    await queue?.stop();
  });

  const look = async (more: Partial<AlertsOptions>): Promise<void> => {
    const to = (id: string): HttpDestination => ({ id, kind: 'webhook', url: 'http://127.0.0.1:9' });
    const options = {
      destinations: [to('a'), to('b')],
      rules: ALERT_RULES.slice(0, 1),
      maintenance: [],
      clock,
      logger,
      ...more,
    };
    const service = newAlerts(dataSource, jobs, new JobHandlers(), options);
    await service.watch();
    await service.onApplicationShutdown();
  };
  const recorded = async (): Promise<unknown[]> => {
    const rows = await dataSource.query<{ type: string; to: string[] }[]>(
      `SELECT type, body->'destinations' AS to FROM event WHERE type IN ('AlertRaised', 'AlertResolved') ORDER BY position`,
    );
    return rows.map(({ type, to }) => [type, to]);
  };

  it('raises nothing during a silence or maintenance, and raises what still lasts afterwards', async () => {
    const now = Date.now();
    const silences = new Silences(new EventStore(dataSource));
    const requested = { scope: { chains: ['alpha-*'] }, until: now + 600_000, note: '', by: 'me' };
    const { id } = await silences.add(requested, now);
    await look({});
    await silences.lift(id, 'me', now);
    await look({ maintenance: [{ scope: {}, when: { from: now - 1_000, until: now + 600_000 } }] });
    expect(await recorded()).toEqual([]);
    await look({});
    expect(await recorded()).toEqual([['AlertRaised', ['a', 'b']]]);
  });

  it('sends reminders during maintenance to an Alertmanager alone, and afterwards to every destination', async () => {
    const [remindMs, now] = [0, Date.now()];
    const book = new AlertBook(new EventStore(dataSource));
    const [alert] = (await book.read()).open;
    const taken = (destination: string, notice = `${alert?.id}-raised`) =>
      book.record(() => {
        const body = { notice, destination, outcome: 'DELIVERED', detail: '' } as const;
        return Promise.resolve([{ type: 'AlertDelivered', observedAt: now, body }]);
      });
    for (const destination of ['a', 'b']) await taken(destination);
    const to = { url: 'http://127.0.0.1:9', remindMs };
    const destinations: HttpDestination[] = [
      { ...to, id: 'a', kind: 'webhook' },
      { ...to, id: 'b', kind: 'alertmanager' },
    ];
    const reminded = (): Promise<unknown[]> =>
      dataSource.query(
        `SELECT body->'destinations' AS to FROM event WHERE type = 'AlertReminded' ORDER BY position`,
      );
    const when = { from: now - 1_000, until: now + 600_000 };
    await look({ destinations, maintenance: [{ scope: { nodes: ['n1'] }, when }] });
    expect(await reminded()).toEqual([{ to: ['b'] }]);
    await look({ destinations, maintenance: [{ scope: { nodes: ['n2'] }, when }] });
    expect(await reminded()).toEqual([{ to: ['b'] }, { to: ['a'] }]);
  });

  it('reports the end to destinations that got the beginning, and to no destination if the rule says so', async () => {
    const named = ALERT_RULES.slice(0, 1).map((rule) => ({ ...rule, destinations: ['b'] }));
    await dataSource.query(`UPDATE health_interval SET to_at = now() - interval '6 min'`);
    await look({ rules: named });
    await dataSource.query(`UPDATE health_interval SET from_at = now() - interval '5 min', to_at = NULL`);
    await look({ rules: named });
    await dataSource.query(
      `UPDATE health_interval SET from_at = now() - interval '9 min', to_at = now() - interval '6 min'`,
    );
    await look({ rules: named.map((rule) => ({ ...rule, tellsEnd: false })) });
    expect(await recorded()).toEqual([
      ['AlertRaised', ['a', 'b']],
      ['AlertResolved', ['a', 'b']],
      ['AlertRaised', ['b']],
      ['AlertResolved', []],
    ]);
  });
});
