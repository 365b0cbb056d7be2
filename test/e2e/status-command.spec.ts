import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SystemClock } from '../../src/platform/clock.js';
import { Loop, LoopDirectory } from '../../src/platform/loops/loop.js';
import { MOST_LISTED } from '../../src/platform/loops/loop-summary.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { healthRow, insertRows, nodeRow } from '../support/read-model-rows.js';
import { ServiceHome, waitFor } from '../support/service-process.js';

const KEY = 'a-key-of-16-chars';
const PATIENCE_MS = 120_000;

describe('the status of a service', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let open: ApiServer;
  let locked: ApiServer;

  const ready = async ({ url }: ApiServer, headers: Record<string, string> = {}) =>
    (await (await fetch(`${url}/health/ready`, { headers })).json()) as Record<string, unknown>;

  const status = (url: string, env: Record<string, string> = {}) =>
    home.run(['status', '--url', url], { env });

  beforeAll(async () => {
    database = await startTestDatabase();
    open = await startApi(database.url, { queue: { backend: 'postgres', url: database.url } });
    locked = await startApi(database.url, { keys: [KEY] });
  }, PATIENCE_MS);

  afterAll(async () => {
    await open?.stop();
    await locked?.stop();
    await home.clear();
    await database?.stop();
  });

  it('is shown only to authorised clients', async () => {
    expect(await ready(open)).toMatchObject({ loops: { total: 2 }, calendar: [] });
    expect(Object.keys(await ready(locked)).toSorted()).toEqual(['database', 'ready']);
    expect(await ready(locked, { 'x-api-key': KEY })).toMatchObject({
      loops: { kinds: [{ kind: 'api-keys' }, { kind: 'live' }] },
    });
  });

  it(
    'is printed by `hindsight status`',
    async () => {
      const { code, out, error } = await status(open.url);
      expect({ code, error }).toEqual({ code: 0, error: '' });
      expect(out).toMatch(/^ {2}ready +yes$/m);
      expect(out).toMatch(
        /^Disk\n {2}log +[\d.]+ k?B\n {2}read models +[\d.]+ [kM]B\n {2}growth per day +not known yet\n/m,
      );
      expect(out).toMatch(/^Loops: 2$/m);
      expect(out).toMatch(/^ {2}api-keys +(asleep|working) .+ (ago|none yet)/m);
      expect(out).toMatch(/^Job queue in postgres: reachable, 0 waiting, 0 delayed, 0 active, 0 failed$/m);
    },
    PATIENCE_MS,
  );

  it(
    'is printed as JSON, with what the service reports of its nodes',
    async () => {
      const { code, out } = await home.run(['status', '--url', open.url, '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ ready: true, loops: { total: 2 }, nodes: [], daNodes: [] });
      const outline = await home.run(['status', '--url', locked.url, '--json']);
      expect([outline.code, JSON.parse(outline.out)]).toEqual([1, { ready: true, database: 'reachable' }]);
    },
    PATIENCE_MS,
  );

  it(
    'is printed in full with a key, and in outline without one, which it says',
    async () => {
      const outline = await status(locked.url);
      expect(outline.code).toBe(1);
      expect(outline.out).toBe('Service\n  ready     yes\n  database  reachable\n');
      expect(outline.error).toMatch(/^hindsight: .*API key.*\nSet HINDSIGHT_API_KEY .*\n$/);
      const whole = await status(locked.url, { HINDSIGHT_API_KEY: KEY });
      expect({ code: whole.code, error: whole.error }).toEqual({ code: 0, error: '' });
      expect(whole.out).toContain('api-keys');
      expect(whole.out + outline.error).not.toContain(KEY);
    },
    PATIENCE_MS,
  );

  it(
    'names the nodes, unhealthy ones first',
    async () => {
      await insertRows(open.dataSource, 'node', [
        nodeRow(1, 'alpha', { chain_id: 'alpha-1', head: 40 }),
        nodeRow(2, 'well', { head: 7 }),
        nodeRow(3, 'fresh'),
      ]);
      await insertRows(open.dataSource, 'health_interval', [
        healthRow('DA', '2026-03-10T10:00:00Z', null, 'CRITICAL', { node: 'alpha', rule: 'failing' }),
        healthRow('DA', new Date().toISOString(), null, 'HEALTHY', { node: 'well' }),
        ...['alpha', 'well'].map((node) =>
          healthRow('NODE', new Date().toISOString(), null, 'HEALTHY', { node }),
        ),
      ]);
      const { code, out } = await status(open.url);
      expect(code).toBe(0);
      expect(out).toMatch(/^Nodes: 3, 1 healthy\n {2}node +chain +DA +node is +head +pending +why$/m);
      expect(out).toMatch(
        /^ {2}alpha +alpha-1 +CRITICAL +HEALTHY +40 +all is well\n {2}fresh *\n {2}well +HEALTHY +HEALTHY +7/m,
      );
    },
    PATIENCE_MS,
  );

  describe('without a service', () => {
    const READY = '{"ready":true,"database":"reachable"';
    const ANSWERS: Record<string, string> = {
      '/odd/health/ready': `${READY},"loops":5}`,
      '/crowded/graphql': JSON.stringify({ data: null, errors: [{ message: 'That is too much at once.' }] }),
      '/older/health/ready': `${READY},"logPosition":"7","queue":{"backend":"redis","state":"reachable"}}`,
    };
    let other: Server;
    const at = (path = '') => `http://127.0.0.1:${(other.address() as AddressInfo).port}${path}`;

    beforeAll(async () => {
      other = createServer(({ url = '' }, answer) => {
        answer.statusCode = url.startsWith('/busy/') ? 429 : 200;
        answer.end(ANSWERS[url] ?? '<html>hello</html>');
      }).listen(0, '127.0.0.1');
      await once(other, 'listening');
    });

    afterAll(() => void other.close());

    it(
      'says why nodes are missing',
      async () => {
        ANSWERS['/crowded/health/ready'] = JSON.stringify(await ready(open));
        const { out } = await status(at('/crowded'));
        expect(out).toMatch(/^Nodes: unknown \(That is too much at once\.\)$/m);
      },
      PATIENCE_MS,
    );

    it.each<[string, () => string[], RegExp]>([
      [
        'nobody answers',
        () => ['--port', '1'],
        /^hindsight: No service answers at http:\/\/127\.0\.0\.1:1: .*REFUSED.*\nStart one .*\n$/,
      ],
      [
        'something else answers',
        () => ['--url', at()],
        /^hindsight: The answer at .* is not from Hindsight\.\nGive the address .*\n$/,
      ],
      [
        'something answers in a form of its own, below a path',
        () => ['--url', at('/odd/')],
        /^hindsight: The answer at .*\/odd \(200\) is not from Hindsight\.\nGive the address .*\n$/,
      ],
      [
        'it has been asked too often',
        () => ['--url', at('/busy')],
        /^hindsight: The service at .* got too many requests\.\nTry again in a minute\.\n$/,
      ],
    ])(
      'is a line and a remedy when %s',
      async (_, args, lines) => {
        const { code, out, error } = await home.run(['status', ...args()]);
        expect({ code, out }).toEqual({ code: 1, out: '' });
        expect(error).toMatch(lines);
      },
      PATIENCE_MS,
    );

    it(
      'accepts the answer of an older release, also below a path',
      async () => {
        for (const path of ['/older', '/older/', '/older/health/ready?x=1']) {
          const { code, out, error } = await status(at(path));
          expect(out).toContain('Job queue in redis: reachable');
          expect({ code, error }).toEqual({
            code: 1,
            error: 'hindsight: The service runs an older release, which reports no more.\nUpgrade it.\n',
          });
        }
      },
      PATIENCE_MS,
    );
  });

  it('stays short with six thousand loops, and names failing ones, without addresses', async () => {
    const directory = open.app.get(LoopDirectory, { strict: false });
    const clock = new SystemClock();
    const loops = Array.from({ length: 6_000 }, (_, index) => {
      const turn = async () => {
        if (index < 30) throw new Error('connect ECONNREFUSED 10.1.2.3:5432');
        return 3_600_000;
      };
      const work = { name: `node-${index}/${index % 2 ? 'blocks' : 'submissions'}`, turn };
      return new Loop(work, { clock, backoff: { firstMs: 3_600_000, longestMs: 3_600_000 } });
    });
    for (const loop of loops) directory.start(loop);
    try {
      const summary = await waitFor('their first turns', async () => {
        const { loops: seen } = (await ready(open)) as { loops: { total: number; unlisted: number } };
        return seen.unlisted === 10 ? seen : undefined;
      });
      expect(summary).toMatchObject({
        total: 6_002,
        kinds: [
          { kind: 'api-keys', loops: 1 },
          { kind: 'blocks', loops: 3_000, failing: 15 },
          { kind: 'live', loops: 1 },
          { kind: 'submissions', loops: 3_000, failing: 15 },
        ],
        listed: Array.from({ length: MOST_LISTED }, () => ({ error: 'connect ECONNREFUSED' })),
      });
      expect(JSON.stringify(summary).length).toBeLessThan(10_000);
      const { out } = await status(open.url);
      expect(out).toMatch(/^ {2}blocks +3000 +3000 +0 +15 +0 /m);
      expect(out).toContain('Loops that fail or are late: 20, and 10 more');
    } finally {
      await Promise.all(loops.map((loop) => directory.stop(loop)));
    }
  });
});
