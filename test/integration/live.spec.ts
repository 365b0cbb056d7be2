import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { LiveFeed } from '../../src/api/live/live-feed.js';
import { KEY_BYTES, hashKey, toKeyText } from '../../src/api/keys/key-text.js';
import { addKey, revokeKey } from '../../src/api/keys/stored-keys.js';
import { SystemClock } from '../../src/platform/clock.js';
import { appendLog } from '../support/append-log.js';
import { startApi, type ApiServer, type ApiServerOptions } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { LiveClient, openSilentReader, received, shakeHands } from '../support/live-client.js';
import { waitFor } from '../support/service-process.js';
import { SmallLog } from '../support/small-log.js';

/** The time of the computer, shifted to that of a log. */
class LogClock extends SystemClock {
  shiftMs = 0;

  override now(): number {
    return super.now() + this.shiftMs;
  }
}

/** Time from the commit until its event is there, in milliseconds. */
const SOON_MS = 2_000;

interface Rows {
  readonly count: number | null;
  readonly updated: number | null;
  readonly submissions?: readonly { readonly nodeId: string | null; readonly daHeight: string }[];
  readonly blocks?: readonly { readonly nodeId: string; readonly height: string }[];
}

const SUBMISSIONS = 'submissionsObserved { count updated submissions { nodeId daHeight } }';
const BLOCKS = 'blocksObserved { count updated blocks { nodeId height } }';

describe('subscriptions to what is recorded', () => {
  let database: TestDatabase;
  let api: ApiServer;
  let clients: LiveClient[];
  const clock = new LogClock();

  const start = async (options: ApiServerOptions = {}): Promise<void> => {
    await api?.stop();
    api = await startApi(database.url, { clock, ...options });
  };
  const connect = (key?: string, headers?: Record<string, string>): LiveClient => {
    const client = new LiveClient(api.url, key, headers);
    clients.push(client);
    return client;
  };
  /** Waits until the server has read from where on as many subscriptions are served. */
  const settled = async (count: number): Promise<void> => {
    const feed = api.app.get(LiveFeed, { strict: false });
    await waitFor(`${count} subscriptions`, () => (feed.readyCount === count ? true : undefined));
  };
  /** Appends the events that a log got since the last time, as a recorder in another process would. */
  const record = async (log: SmallLog): Promise<void> => {
    await appendLog(api.dataSource, log.events.splice(0));
  };

  beforeEach(async () => {
    clients = [];
    database = await startTestDatabase();
    api = await startApi(database.url, { clock });
  });

  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await api?.stop();
    await database?.stop();
  });

  it('sends new submissions and blocks, with rows and counts, within two seconds', async () => {
    const log = new SmallLog()
      .register('alpha')
      .describe('alpha', 'one')
      .rows('alpha', [{ da: 1 }]);
    await record(log);
    const client = connect();
    const rows = client.subscribe<Rows>(SUBMISSIONS);
    const blocks = client.subscribe<Rows>(BLOCKS);
    await settled(2);
    log.now += 1_000;
    await record(log.rows('alpha', [{ da: 2 }, { da: 3 }]).blocks('alpha', 'one', [{ height: 1 }]));
    const recordedAt = performance.now();
    await Promise.all([received(rows), received(blocks)]);
    expect(performance.now() - recordedAt).toBeLessThan(SOON_MS);
    const shown = [
      { nodeId: 'alpha', daHeight: '2' },
      { nodeId: 'alpha', daHeight: '3' },
    ];
    expect(rows.values).toEqual([{ count: 2, updated: expect.any(Number) as number, submissions: shown }]);
    expect(blocks.values).toEqual([{ count: 1, updated: 0, blocks: [{ nodeId: 'alpha', height: '1' }] }]);
    // Blocks prove a row: no row is new, but one has changed.
    await record(log.include('alpha', 'one', [{ height: 1, headerDa: 2 }]));
    await received(blocks, 2);
    expect(blocks.values[1]).toEqual({ count: 0, updated: 1, blocks: [] });
  });

  it('sends states of health and incidents, acknowledgements and notes', async () => {
    const log = new SmallLog().register('alpha').describe('alpha', 'one');
    const post = (status: string, seconds: number): SmallLog => {
      for (let second = 0; second < seconds; second += 1) {
        log.now += 1_000;
        log.rows('alpha', [{ da: log.now / 1_000, status }]);
      }
      clock.shiftMs = SmallLog.START + log.now + 500 - Date.now();
      return log;
    };
    await record(post('Success', 60));
    const client = connect();
    const health = client.subscribe('healthChanged { nodeId chain component interval { state rule to } }');
    const incidents = client.subscribe<Record<string, unknown>>(
      'incidentChanged { id nodeId open severity acknowledgedBy }',
    );
    await settled(2);
    await record(post('Error', 30));
    const recordedAt = performance.now();
    await Promise.all([received(health, 3), received(incidents)]);
    expect(performance.now() - recordedAt).toBeLessThan(SOON_MS);
    const alpha = { nodeId: 'alpha', chain: 'one', component: 'DA' };
    const some = expect.any(String) as string;
    expect(health.values).toEqual([
      { ...alpha, interval: { state: 'HEALTHY', rule: 'healthy', to: some } },
      { ...alpha, interval: { state: 'WARNING', rule: 'failures', to: some } },
      { ...alpha, interval: { state: 'CRITICAL', rule: 'failing', to: null } },
    ]);
    const open = { id: some, nodeId: 'alpha', open: true, severity: 'CRITICAL' };
    expect(incidents.values).toEqual([{ ...open, acknowledgedBy: null }]);
    const acknowledge = 'mutation ($id: ID!) { acknowledgeIncident(id: $id, note: "") { by } }';
    const note = 'mutation ($id: ID!) { addIncidentNote(id: $id, note: "seen") { by } }';
    for (const [index, mutation] of [acknowledge, acknowledge, note].entries()) {
      await api.read(mutation, { id: incidents.values[0]?.['id'] });
      await received(incidents, index + 2);
    }
    const taken = { ...open, acknowledgedBy: 'loopback' };
    expect(incidents.values.slice(1)).toEqual([taken, taken, taken]);
    // Calm ends it, which no new state of health reports.
    await record(post('Success', 330));
    const ended = await waitFor('its end', () =>
      incidents.values.find(({ open: isOpen }) => isOpen === false),
    );
    expect(ended).toEqual({ ...taken, open: false });
  });

  it('sends each subscription only what its nodes and chains have', async () => {
    const log = new SmallLog();
    for (const [node, chain] of [
      ['alpha', 'one'],
      ['beta', 'one'],
      ['gamma', 'two'],
    ] as const)
      log
        .register(node, chain)
        .describe(node, chain)
        .rows(node, [{ da: 1 }]);
    await record(log);
    const client = connect();
    const head = '($nodes: [ID!], $chains: [String!])';
    const of = (variables: object) =>
      client.subscribe<Rows>(
        'submissionsObserved(nodes: $nodes, chains: $chains) { count submissions { nodeId daHeight } }',
        { ...variables },
        head,
      );
    const [ofBeta, ofOne, ofBoth, ofNone, ofAll] = [
      of({ nodes: ['beta'] }),
      of({ chains: ['one'] }),
      of({ nodes: ['alpha', 'gamma'], chains: ['two'] }),
      of({ nodes: [] }),
      of({}),
    ];
    await settled(5);
    log.now += 1_000;
    for (const node of ['alpha', 'beta', 'gamma']) log.rows(node, [{ da: 2 }]);
    await record(log);
    const countsOf = ({ values }: { readonly values: readonly Rows[] }): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const { nodeId } of values.flatMap(({ submissions = [] }) => submissions))
        counts[String(nodeId)] = (counts[String(nodeId)] ?? 0) + 1;
      return counts;
    };
    await waitFor('all rows', () => (Object.keys(countsOf(ofAll)).length === 3 ? true : undefined));
    await Promise.all([ofBeta, ofOne, ofBoth].map((each) => received(each)));
    expect([ofBeta, ofOne, ofBoth, ofNone, ofAll].map(countsOf)).toEqual([
      { beta: 1 },
      { alpha: 1, beta: 1 },
      { gamma: 1 },
      {},
      { alpha: 1, beta: 1, gamma: 1 },
    ]);
  });

  it('shows the first hundred rows of many, and counts them; of too many it says that they were not counted', async () => {
    const log = new SmallLog()
      .register('alpha')
      .describe('alpha', 'one')
      .blocks('alpha', 'one', [{ height: 1 }]);
    await record(log);
    const blocks = connect().subscribe<Rows>('blocksObserved { count updated blocks { height } }');
    await settled(1);
    const grow = async (from: number, to: number): Promise<void> => {
      const heights = Array.from({ length: to - from }, (_, index) => ({ height: from + index }));
      await record(log.blocks('alpha', 'one', heights));
    };
    await grow(2, 302);
    await received(blocks);
    expect(blocks.values[0]).toMatchObject({ count: 300 });
    expect(blocks.values[0]?.blocks).toHaveLength(100);
    await grow(302, 2_900);
    await received(blocks, 2);
    expect(blocks.values[1]).toEqual({ count: null, updated: null, blocks: [] });
    await grow(2_900, 2_901);
    await received(blocks, 3);
    // The next header proves the hash of the one before.
    expect(blocks.values[2]).toEqual({ count: 1, updated: 1, blocks: [{ height: '2900' }] });
  });

  it('delivers what is committed while the database was away', async () => {
    const log = new SmallLog()
      .register('alpha')
      .describe('alpha', 'one')
      .rows('alpha', [{ da: 1 }]);
    await record(log);
    const rows = connect().subscribe<Rows>(SUBMISSIONS);
    await settled(1);
    // Every connection for reading breaks, and the next statement fails.
    await api.dataSource.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    log.now += 1_000;
    await waitFor('the record', async () => {
      await record(log.rows('alpha', [{ da: 2 }]));
      return true;
    });
    await received(rows);
    expect(rows.values[0]?.submissions).toContainEqual({ nodeId: 'alpha', daHeight: '2' });
  });

  it('bounds the connections, and admits the next when one has left', async () => {
    await start({ limits: { connections: 400 } });
    const sockets = await Promise.all(Array.from({ length: 200 }, () => shakeHands(api.url)));
    expect(new Set(sockets.map(({ status }) => status))).toEqual(new Set([101]));
    const refused = await shakeHands(api.url);
    expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMITED']);
    for (const { socket } of sockets) socket.destroy();
    await waitFor('a place', async () => {
      const { status, socket } = await shakeHands(api.url);
      socket.destroy();
      return status === 101 ? true : undefined;
    });
  });

  it('ends a connection that does not introduce itself, and a client that reads nothing', async () => {
    const mute = await shakeHands(api.url);
    const deaf = await openSilentReader(api.url, SUBMISSIONS);
    await settled(1);
    await Promise.all(
      [mute.socket, deaf].map((socket) =>
        waitFor('its end', () => (socket.destroyed || isEnded(socket) ? true : undefined)),
      ),
    );
    await settled(0);
  });

  it('refuses pages of other origins, other protocols and other hosts', async () => {
    const statusOf = async (headers: Record<string, string>): Promise<string> => {
      const { status, code, socket } = await shakeHands(api.url, headers);
      socket.destroy();
      return `${status} ${code}`;
    };
    const { host } = new URL(api.url);
    expect(await statusOf({ origin: `http://${host}` })).toBe('101 ');
    expect(await statusOf({ origin: 'https://evil.example' })).toBe('403 FORBIDDEN');
    expect(await statusOf({ origin: 'null' })).toBe('403 FORBIDDEN');
    expect(await statusOf({ origin: 'http://localhost:1' })).toBe('403 FORBIDDEN');
    expect(await statusOf({ host: 'evil.example' })).toBe('403 FORBIDDEN');
    expect(await statusOf({ 'sec-websocket-protocol': 'graphql-ws' })).toBe('400 BAD_USER_INPUT');
    await start({ corsOrigins: ['https://friend.example'], keys: ['a-key-of-16-chars'] });
    expect(await statusOf({ origin: 'https://friend.example' })).toBe('101 ');
    expect(await statusOf({ origin: 'https://evil.example' })).toBe('403 FORBIDDEN');
  });

  it('needs a key where queries do, in a header or in the first message', async () => {
    await start({ keys: ['a-key-of-16-chars'] });
    const [inMessage, inHeader] = [
      connect('a-key-of-16-chars'),
      connect(undefined, { 'x-api-key': 'a-key-of-16-chars' }),
    ];
    for (const client of [inMessage, inHeader]) client.subscribe(SUBMISSIONS);
    await settled(2);
    const [keyless, wrong] = [connect(), connect('a-wrong-key-of-32-characters-000')];
    await Promise.all(
      [keyless, wrong].map(({ closes }) =>
        waitFor('a refusal', () => (closes.length > 0 ? true : undefined)),
      ),
    );
    expect(keyless.closes).toEqual([expect.stringMatching(/^4403 Send an API key/)]);
    expect(wrong.closes).toEqual(['4403 This API key is unknown.']);
    const { status, code } = await shakeHands(api.url, { 'x-api-key': 'a-wrong-key-of-32-characters-000' });
    expect([status, code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('counts wrong keys of a first message like those of a header', async () => {
    await start({ keys: ['a-key-of-16-chars'] });
    const closed = async ({ closes }: LiveClient): Promise<string> => waitFor('a refusal', () => closes[0]);
    const wrong = (): Promise<string> => closed(connect('a-wrong-key-of-32-characters-000'));
    const seen = await Promise.all(Array.from({ length: 31 }, wrong));
    expect(seen.filter((reason) => reason === '4403 This API key is unknown.')).toHaveLength(30);
    expect(await wrong()).toMatch(/^1013 Too many requests; try again in \d+ s\.$/);
    connect('a-key-of-16-chars').subscribe(SUBMISSIONS);
    await settled(1);
  });

  it('ends the connections of a key that is revoked', async () => {
    const text = toKeyText(randomBytes(KEY_BYTES));
    await addKey(api.dataSource, { name: 'pager', scope: 'read', hash: hashKey(text) });
    await waitFor('the key', async () => {
      const { errors } = await api.ask('{ nodes { id } }', {}, { 'x-api-key': text });
      return errors ? undefined : true;
    });
    const [client, other] = [connect(text), connect()];
    for (const each of [client, other]) each.subscribe(SUBMISSIONS);
    await settled(2);
    await revokeKey(api.dataSource, 'pager');
    await waitFor('the end', () => (client.closes.length > 0 ? true : undefined));
    expect(client.closes).toEqual(['4403 This API key was revoked.']);
    await settled(1);
    expect(other.closes).toEqual([]);
  });

  it('stops while clients are connected, and tells them', async () => {
    const client = connect();
    client.subscribe(SUBMISSIONS);
    const deaf = await openSilentReader(api.url, SUBMISSIONS);
    await settled(2);
    const stoppedAt = performance.now();
    await api.stop();
    expect(performance.now() - stoppedAt).toBeLessThan(5_000);
    await waitFor('the end', () => (client.closes.length > 0 ? true : undefined));
    expect(client.closes[0]).toMatch(/^(?:1001|1006) /);
    deaf.destroy();
    api = await startApi(database.url, { clock });
  });

  it('reads nothing while nobody is subscribed', async () => {
    const client = connect();
    const rows = client.subscribe(SUBMISSIONS);
    await settled(1);
    rows.end();
    await settled(0);
    const feed = api.app.get(LiveFeed, { strict: false });
    await waitFor('rest', () => (feed['cursor'] === undefined ? true : undefined));
  });
});

/** One server for all, because a refusal leaves nothing behind. */
describe('refused subscriptions', () => {
  let database: TestDatabase;
  let api: ApiServer;
  const clients: LiveClient[] = [];

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url);
  });

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });

  afterAll(async () => {
    await api?.stop();
    await database?.stop();
  });

  it.each([
    ['a query', '{ nodes { id } }', 'BAD_USER_INPUT'],
    ['a mutation', 'mutation { cancelJob(id: "1") { id } }', 'BAD_USER_INPUT'],
    ['no GraphQL', 'subscription {', 'BAD_USER_INPUT'],
    ['an unknown field', 'subscription { nothing }', 'BAD_USER_INPUT'],
    ['a wrong argument', 'subscription { healthChanged(nodes: { a: 1 }) { nodeId } }', 'BAD_USER_INPUT'],
    [
      'several operations',
      'subscription A { a: __typename } subscription B { b: __typename }',
      'BAD_USER_INPUT',
    ],
    [
      'a text that is too long',
      `subscription { ${'healthChanged { nodeId } '.repeat(600)} }`,
      'TOO_EXPENSIVE',
    ],
    [
      'an expensive event',
      'subscription { submissionsObserved { submissions { rawText blobIds attemptsBefore { rawText blobIds attemptsBefore { rawText } } } } }',
      'TOO_EXPENSIVE',
    ],
  ])('have a code: %s', async (_what, query, code) => {
    const errors: string[] = [];
    const client = new LiveClient(api.url);
    clients.push(client);
    client.client.subscribe(
      { query },
      {
        next: () => undefined,
        error: (error) => {
          const [first] = error as { extensions?: { code?: string } }[];
          errors.push(first?.extensions?.code ?? 'none');
        },
        complete: () => undefined,
      },
    );
    await waitFor('a refusal', () => (errors.length > 0 ? true : undefined));
    expect(errors).toEqual([code]);
  });

  it('are those beyond the bound of a connection', async () => {
    const client = new LiveClient(api.url);
    clients.push(client);
    const all = Array.from({ length: 21 }, () => client.subscribe('healthChanged { nodeId }'));
    await waitFor('a refusal', () => all.find(({ errors }) => errors.length > 0));
    expect(all.flatMap(({ errors }) => errors)).toEqual(['RATE_LIMITED']);
    const feed = api.app.get(LiveFeed, { strict: false });
    await waitFor('the others', () => (feed.readyCount === 20 ? true : undefined));
  });
});

/** Whether the server has ended a connection that is not read. */
function isEnded(socket: Socket): boolean {
  socket.resume();
  return socket.readableEnded || socket.destroyed;
}
