import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import { addKey } from '../../src/api/keys/stored-keys.js';
import { hashKey, KEY_BYTES, toKeyText } from '../../src/api/keys/key-text.js';
import { createDataSource } from '../../src/platform/database.js';
import { startApi, type Answer, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { itHasRedis, QUEUE_BACKENDS } from '../support/queue-backends.js';
import { startTestRedis, type TestRedis } from '../support/redis.js';
import { waitFor } from '../support/service-process.js';

const KEY = 'a-key-of-16-chars';
const OTHER = 'another-key-of-more';
const RIGHT = { 'x-api-key': KEY };
const WRONG = { 'x-api-key': 'a-key-of-16-chart' };

/** Wrong keys that an address may send in a minute. */
const MOST_WRONG = 30;

describe('limits in Redis', itHasRedis);

describe.each(QUEUE_BACKENDS)('rate limits, counted as with %s', (backend) => {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  let database: TestDatabase;
  let source: DataSource;
  let redis: TestRedis | undefined;
  let open: ApiServer[];
  let prefix: string;

  const start = async (options: Parameters<typeof startApi>[1]): Promise<ApiServer> => {
    // The latency of Redis on a busy computer is not the subject here.
    const shared = redis && { sharedCounts: { url: redis.url, prefix, patienceMs: 10_000 } };
    const api = await startApi(database.url, { logger, ...shared, ...options });
    open.push(api);
    // Until it is connected, Redis counts nothing.
    if (redis) await waitFor('the first count', async () => (await isCounting(api)) || undefined);
    return api;
  };
  const ask = (api: ApiServer, headers: Record<string, string> = {}, path = '/graphql'): Promise<Response> =>
    fetch(api.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"query":"{ nodes { id } }"}',
    });
  const statuses = async (times: number, send: () => Promise<Response>): Promise<number[]> => {
    const seen = [];
    for (let time = 0; time < times; time += 1) seen.push((await send()).status);
    return seen;
  };
  /** As above, but at once: each may wait for a Redis that does not answer. */
  const statusesAtOnce = async (times: number, send: () => Promise<Response>): Promise<number[]> =>
    (await Promise.all(Array.from({ length: times }, send)))
      .map(({ status }) => status)
      .toSorted((a, b) => a - b);
  /** Whether this process counts in Redis; uses a key that no other request of these tests has. */
  const isCounting = async (api: ApiServer): Promise<boolean> => {
    const before = await counted();
    await ask(api, { 'x-api-key': OTHER });
    return (await counted()) > before;
  };
  const counted = async (): Promise<number> => {
    const { Redis } = await import('ioredis');
    const own = new Redis(redis?.url ?? '');
    try {
      const names = await own.keys(`${prefix}:requests:*`);
      const counts = await Promise.all(names.map((name) => own.get(name)));
      return counts.reduce((sum, count) => sum + Number(count), 0);
    } finally {
      own.disconnect();
    }
  };

  beforeAll(async () => {
    database = await startTestDatabase();
    source = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    if (backend === 'redis') redis = await startTestRedis(6);
  });

  beforeEach(() => {
    open = [];
    lines.length = 0;
    prefix = `test:${randomBytes(4).toString('hex')}`;
  });

  afterEach(() => Promise.all(open.map((api) => api.stop())));

  afterAll(async () => {
    await redis?.stop();
    await source?.destroy();
    await database?.stop();
  });

  it('apply to each key, say when to ask again, and never to liveness probes', async () => {
    const api = await start({ keys: [KEY, OTHER], rateLimit: 20 });
    expect(await statuses(20, () => ask(api, RIGHT))).toEqual(Array(20).fill(200));
    const refused = await ask(api, RIGHT);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      429,
      'application/json; charset=utf-8',
    ]);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    const { errors, data } = (await refused.json()) as Answer<unknown>;
    expect(data).toBeNull();
    expect(errors).toEqual([
      {
        message: `Too many requests; try again in ${seconds} s.`,
        extensions: { code: 'RATE_LIMITED', retryAfter: seconds },
      },
    ]);
    expect((await ask(api, { authorization: `Bearer ${OTHER}` })).status).toBe(200);
    expect((await ask(api)).status).toBe(401);
    expect(await statuses(30, () => fetch(`${api.url}/health/live`, { headers: RIGHT }))).toEqual(
      Array(30).fill(200),
    );
  });

  it('apply to an address that sends no key, on every path', async () => {
    const api = await start({ keys: [KEY, OTHER], rateLimit: 20 });
    const paths = ['/', '/health/ready', '/nowhere', '/assets/tokens.css'];
    for (let round = 0; round < 5; round += 1) {
      for (const path of paths) expect((await fetch(api.url + path)).status).not.toBe(429);
    }
    for (const path of paths) expect((await fetch(api.url + path)).status).toBe(429);
    expect((await ask(api)).status).toBe(429);
    expect((await ask(api, RIGHT)).status).toBe(200);
  });

  it('do not apply where no key is required, nor without a limit', async () => {
    const free = await startApi(database.url, { rateLimit: 5 });
    open.push(free);
    expect(await statuses(20, () => ask(free))).toEqual(Array(20).fill(200));
    const unlimited = await startApi(database.url, { keys: [KEY], rateLimit: 0 });
    open.push(unlimited);
    expect(await statuses(20, () => ask(unlimited, RIGHT))).toEqual(Array(20).fill(200));
  });

  it('apply much sooner to wrong keys, and block no client with a right key', async () => {
    const text = toKeyText(randomBytes(KEY_BYTES));
    // A server that starts knows the key at once.
    await addKey(source, { name: `made-${backend}`, scope: 'read', hash: hashKey(text) });
    const api = await start({ keys: [KEY, OTHER], rateLimit: 1_000 });
    const made = { authorization: `Bearer ${text}` };
    const seen = await statuses(MOST_WRONG + 5, () => ask(api, WRONG));
    expect(new Set(seen)).toEqual(new Set([401, 429]));
    expect(seen.slice(-5)).toEqual([429, 429, 429, 429, 429]);
    expect(seen.indexOf(429)).toBe(MOST_WRONG);
    // All of them at one address, as behind a proxy: keys that people chose, and a generated key.
    for (const right of [RIGHT, { authorization: `Bearer ${OTHER}` }, made]) {
      expect(await statuses(3, () => ask(api, right))).toEqual([200, 200, 200]);
      expect((await ask(api, WRONG)).status).toBe(429);
    }
    expect((await ask(api)).status).toBe(401);
  });

  if (backend !== 'redis') return;

  it('apply to all processes together', async () => {
    const [one, two] = [
      await start({ keys: [KEY, OTHER], rateLimit: 20 }),
      await start({ keys: [KEY, OTHER], rateLimit: 20 }),
    ];
    await statuses(10, () => ask(one, RIGHT));
    expect(await statuses(10, () => ask(two, RIGHT))).toEqual(Array(10).fill(200));
    expect([(await ask(one, RIGHT)).status, (await ask(two, RIGHT)).status]).toEqual([429, 429]);
    await statuses(MOST_WRONG, () => ask(one, WRONG));
    expect((await ask(two, WRONG)).status).toBe(429);
  });

  it.each(['killed', 'hung'])(
    'let all clients in while Redis is %s, report that once, and still slow down guesses',
    async (how) => {
      const sharedCounts = { url: redis?.url ?? '', prefix };
      const api = await start({ keys: [KEY, OTHER], rateLimit: 20, sharedCounts });
      if (how === 'killed') await redis?.kill();
      else redis?.hang();
      try {
        expect(await statusesAtOnce(40, () => ask(api, RIGHT))).toEqual(Array(40).fill(200));
        const guesses = await statusesAtOnce(MOST_WRONG + 1, () => ask(api, WRONG));
        expect(guesses).toEqual([...Array(MOST_WRONG).fill(401), 429]);
        const complaints = lines.filter((line) => line.includes('requests cannot be counted in Redis'));
        expect(complaints.length).toBeGreaterThan(0);
        expect(complaints.join('')).not.toContain('enableOfflineQueue');
        // One for each kind of error that an outage of Redis causes.
        expect(complaints.length).toBeLessThan(5);
      } finally {
        if (how === 'killed') await redis?.revive();
        else redis?.resume();
      }
      await waitFor(
        'the limit to hold again',
        async () => (await ask(api, RIGHT)).status === 429 || undefined,
      );
    },
  );
});
