import { encodeCursor, nameOfQuestion } from '../../src/api/graphql/keyed-list.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createLogger } from '../../src/platform/logger.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { BlackHoleProxy } from '../support/black-hole-proxy.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { connectTo } from '../support/raw-http.js';
import { waitFor } from '../support/service-process.js';

/** The computer's clock, which can be moved forward. */
class ShiftedClock extends SystemClock {
  shiftMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.shiftMs;
  }
}

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly error?: string;
  readonly stack?: string;
  readonly again?: number;
}

const submissions = (args: string): string => `{ submissions(${args}) { nodes { id } } }`;
/** The beginning of cursors of the list by time. */
const BY_TIME = nameOfQuestion({ conditions: { order: 'OCCURRED_ASC', wished: {} } });
const byTime = (time: string): string => {
  const cursor = BY_TIME + encodeCursor('submissions', [time, '1', '1', '0', '0', '0']);
  return submissions(`first: 1, order: OCCURRED_ASC, after: "${cursor}"`);
};

/** Times that no column can hold, or that no column can hold once they are rounded up to the next microsecond. */
const TIMES = [
  '0000-01-01T00:00:00Z',
  '0000-12-31T23:59:59Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-12:00',
  '9999-12-31T23:59:59.999999999Z',
];

/** Questions that cannot be answered as they are. */
const WRONG: readonly (readonly [string, Record<string, unknown>?])[] = [
  [byTime('+275760-09-13T00:00:00Z')],
  [byTime('+010000-01-01T00:00:00Z')],
  [byTime('-000001-12-31T23:59:59Z')],
  [byTime('infinity')],
  [byTime('253402300800000000')],
  ...TIMES.map((time) => [byTime(time)] as const),
  ...TIMES.flatMap((time): readonly (readonly [string, Record<string, unknown>?])[] => [
    [submissions(`filter: { from: "${time}" }`)],
    [submissions(`filter: { to: "${time}" }`)],
    [`{ healthHistory(node: "alpha", from: "${time}") { state } }`],
    [`{ availability(node: "alpha", to: "${time}") { state } }`],
    [`{ losses(filter: { from: "${time}" }) { nodes { kind } } }`],
    [`{ costReport(bucket: YEAR, timeZone: "UTC", knownAt: "${time}") { time } }`],
    [`query ($t: DateTime) { statistics(bucket: YEAR, timeZone: "UTC", from: $t) { time } }`, { t: time }],
    [`mutation ($t: DateTime) { recomputeStatistics(from: $t) { id } }`, { t: time }],
  ]),
  [submissions(String.raw`filter: { message: "\u0000" }`)],
  [submissions('filter: { message: "a\0b" }')],
  [submissions(String.raw`filter: { chains: ["a", "b\u0000"] }`)],
  ['query ($f: SubmissionFilter) { submissions(filter: $f) { nodes { id } } }', { f: { message: 'a\0' } }],
  ['query ($f: SubmissionFilter) { submissions(filter: $f) { nodes { id } } }', { f: { nodes: ['\0'] } }],
  ['query ($id: ID!) { node(id: $id) { id } }', { id: 'x\ud800' }],
  ['query ($id: ID! = "\\u0000") { node(id: $id) { id } }'],
  [String.raw`mutation { retryJob(id: "\u0000") { id } }`],
  ['mutation ($id: ID!) { retryJob(id: $id) { id } }', { id: '\udfff' }],
  [String.raw`mutation { rebuildProjection(name: "record\u0000") { id } }`],
  [String.raw`mutation { importFees(chain: "a\u0000", csv: "da_height,fee\n1,1") { recorded } }`],
  ['mutation ($csv: String!) { importFees(chain: "a", csv: $csv) { recorded } }', { csv: 'a\0' }],
  ...['', 'Foo/Bar', '+24:00', 'UTC\0', 'x'.repeat(5_000), '../../etc/passwd'].map(
    (zone) => ['query ($z: String) { statistics(bucket: DAY, timeZone: $z) { time } }', { z: zone }] as const,
  ),
];

/** The answer is long enough to be compressed piece by piece. */
const LONG_QUESTION = JSON.stringify({
  query: '{ __schema { types { name description fields { name description } } } }',
});

describe('the log of the API', () => {
  let database: TestDatabase;
  let api: ApiServer;
  const clock = new ShiftedClock();
  const lines: Line[] = [];
  const logger = createLogger('trace', { write: (line) => lines.push(JSON.parse(line) as Line) });
  const loud = (): Line[] => lines.filter(({ level }) => !['debug', 'trace'].includes(level));
  const ids = Array.from({ length: 20 }, (_, n) => `a-private-id-${String(n)}`);

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url, { logger, clock });
  });

  beforeEach(() => {
    lines.length = 0;
  });

  afterAll(async () => {
    await api?.stop();
    await database?.stop();
  });

  it.each(
    WRONG.map(
      ([query, variables]) => [JSON.stringify([query, variables]).slice(0, 150), query, variables] as const,
    ),
  )('has no line for the wrong question %s', async (_what, query, variables) => {
    for (let round = 0; round < 3; round += 1) {
      const answer = await api.ask(query, variables);
      expect(answer.errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
    }
    expect(loud()).toEqual([]);
  });

  it('has no line for a request full of wrong questions', async () => {
    const many = Array.from(
      { length: 38 },
      (_, n) => `a${String(n)}: statistics(bucket: YEAR, from: $t) { time }`,
    );
    const query = `query ($t: DateTime!) { ${many.join(' ')} }`;
    expect(await api.codesOf(query, { t: '0000-01-01T00:00:00Z' })).toEqual(['BAD_USER_INPUT']);
    const texts = `query ($m: String) { ${many.map((_, n) => `a${String(n)}: submissions(filter: { message: $m }) { nodes { id } }`).join(' ')} }`;
    expect(await api.codesOf(texts, { m: `\0${'x'.repeat(90_000)}` })).toEqual(['BAD_USER_INPUT']);
    expect(loud()).toEqual([]);
  });

  it('has no line for values at the edge of the allowed range, which are answered', async () => {
    for (const time of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z']) {
      expect(await api.codesOf(submissions(`filter: { from: "${time}", message: "\u{1d54f}" }`))).toEqual([]);
      expect(await api.codesOf(`{ losses(filter: { to: "${time}" }) { nodes { kind } } }`)).toEqual([]);
      expect(await api.codesOf(byTime(time))).toEqual([]);
    }
    expect(loud()).toEqual([]);
  });

  it.each(['/graphql', '/health/live', '/unknown'])(
    'has no line for an upload to %s that ends midway',
    async (path) => {
      const fresh = await startApi(database.url, { logger });
      const server = fresh.app.getHttpServer();
      const count = (): Promise<number> =>
        new Promise((resolve) => server.getConnections((_, n) => resolve(n)));
      try {
        for (let n = 0; n < 10; n += 1) {
          const arrived = new Promise<void>((resolve) => server.once('request', () => resolve()));
          const socket = connectTo(Number(new URL(fresh.url).port));
          socket.write(
            `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"query`,
          );
          await arrived;
          socket.destroy();
        }
        await waitFor('the connections to end', async () => (await count()) === 0 || undefined);
      } finally {
        await fresh.stop();
      }
      expect(loud()).toEqual([]);
    },
  );

  it('has no line for a client that leaves before its long answer has begun', async () => {
    const fresh = await startApi(database.url, { logger });
    const server = fresh.app.getHttpServer();
    try {
      for (let n = 0; n < 10; n += 1) {
        const arrived = new Promise<void>((resolve) => server.once('request', () => resolve()));
        const socket = connectTo(Number(new URL(fresh.url).port));
        socket.write(
          `POST /graphql HTTP/1.1\r\nhost: localhost\r\naccept-encoding: gzip\r\ncontent-type: application/json\r\ncontent-length: ${LONG_QUESTION.length}\r\n\r\n${LONG_QUESTION}`,
        );
        await arrived;
        socket.destroy();
        // Answered after the request whose client has left.
        expect((await fresh.ask('{ now }')).errors).toBeUndefined();
      }
    } finally {
      await fresh.stop();
    }
    expect(loud()).toEqual([]);
  });

  it('has one line a minute for a failure of our own, with its place, without statement or parameters', async () => {
    await api.dataSource.query('ALTER TABLE node RENAME TO node_away');
    const ask = async (): Promise<void> => {
      for (const id of ids) expect(await api.codesOf(`{ node(id: "${id}") { id } }`)).toEqual(['INTERNAL']);
    };
    await ask();
    expect(loud()).toMatchObject([
      { level: 'error', msg: 'a request failed on our side', error: 'relation "node" does not exist' },
    ]);
    expect(loud()[0]?.stack).toMatch(/known-names\.query/);
    clock.shiftMs += 60_000;
    await ask();
    await api.dataSource.query('ALTER TABLE node_away RENAME TO node');
    expect(loud()).toHaveLength(2);
    expect(loud()[1]).toMatchObject({ level: 'error', again: ids.length - 1 });
    expect(JSON.stringify(lines)).not.toMatch(/SELECT|a-private-id/);
  });

  it('has few lines about a database that is away, whatever the clients, and no stack traces', async () => {
    const proxy = await BlackHoleProxy.start(database.url);
    const lonely = await startApi(proxy.url, { logger, clock });
    try {
      proxy.refuse(true);
      for (const id of ids) {
        const answers = [
          lonely.ask(`{ node(id: "${id}") { id } nodes { id } }`),
          lonely.ask('{ jobs { id } }'),
        ];
        for (const { status, errors } of await Promise.all(answers)) {
          expect([status, errors?.[0]?.extensions.code]).toEqual([503, 'UNAVAILABLE']);
        }
        expect((await fetch(`${lonely.url}/health/ready`)).status).toBe(503);
      }
      // The keys are read again every two seconds, possibly in between.
      const told = loud()
        .filter(({ msg }) => msg !== 'the API keys cannot be read')
        .map(({ level, msg, error }) => `${level} ${msg} ${error ?? ''}`);
      expect(told.length).toBeGreaterThan(0);
      // Each kind of outage once: a connection that was cut, and one that is refused.
      expect(told.length).toBeLessThanOrEqual(3);
      expect(told.every((line) => line.startsWith('warn a request could not be answered'))).toBe(true);
      expect(JSON.stringify(lines)).not.toMatch(/SELECT|a-private-id|"stack"/);
    } finally {
      await lonely.stop();
      await proxy.stop();
    }
  });
});
