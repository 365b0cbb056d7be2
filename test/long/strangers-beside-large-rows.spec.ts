import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { createDataSource } from '../../src/platform/database.js';
import { attack, type Attack, type Statuses } from '../support/attackers.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { startHostileServer, type HostileServer } from '../support/hostile-server.js';
import { seededRandom } from '../support/seeded-random.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

/** Length of each attack. */
const SECONDS = Number(process.env['HINDSIGHT_ATTACK_SECONDS'] ?? 2);
const SEED = Number(process.env['HINDSIGHT_ATTACK_SEED'] ?? 1);
const PATIENCE_MS = 180_000 + SECONDS * 1_000;

const ROWS = 10;
const ROW_BYTES = 3_000_000;
const LONGEST_GAP_MS = 6_000;
/** A long run needs the computer for itself; during a short run other specs use its processors. */
const IS_ALONE = SECONDS >= 30;
const SLOWEST_PROBE_MS = IS_ALONE ? 1_000 : 4_000;
/** The number of consecutive times that it may be not ready: the database may have to wait for a processor, too. */
const MOST_UNREADY = IS_ALONE ? 0 : 2;
/** Memory limit of the whole process. */
const MOST_MEMORY_KB = 1_000_000;

/** The heap limit of the service under systemd. */
const HEAP = /--max-old-space-size=\d+/.exec(readFileSync('packaging/hindsight.service', 'utf8'))?.[0] ?? '';

/** A list of ten rows of 3 MB, with new rows each time. */
function listOf(turn: number, noise: string): string {
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const n = turn * ROWS + index;
    const message =
      noise.slice((n * 7_919) % 1_000_000).slice(0, ROW_BYTES - 10) + String(n).padStart(10, '0');
    const timestamp = new Date(Date.UTC(2026, 10, 21) + n).toISOString();
    const row = { id: `submission_${n}`, height: n, blob_size: 350, timestamp, gas_price: 0 };
    return JSON.stringify({
      ...row,
      status_code: 'Error',
      num_blobs: 1,
      blob_ids: [],
      message,
      namespace: '',
    });
  });
  return `{"submissions":[${rows.join(',')}],"total":${rows.length}}`;
}

function noiseOf(seed: number): string {
  const random = seededRandom(seed);
  const bytes = Buffer.alloc(3_500_000);
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(Math.floor(random() * 2 ** 32), at);
  return bytes.toString('base64');
}

/** Measurements of a service. */
interface Watched {
  readonly slowestMs: number;
  readonly live: ReadonlySet<number>;
  /** The longest series of checks in which it was not ready. */
  readonly unready: number;
}

describe(`strangers next to a node of large rows (seed ${SEED})`, () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let dataSource: DataSource;
  let good: Devnode;
  let big: HostileServer;
  let service: ServiceProcess;

  beforeAll(async () => {
    database = await startEmptyDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    good = await startDevnode({ chainId: 'good-1', blockTimeMs: 300, daBlockTimeMs: 600 });
    const noise = noiseOf(SEED);
    let looks = 0;
    big = await startHostileServer(({ url }, response) => {
      const isList = url?.startsWith('/da/submissions');
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' });
      response.end(isList ? listOf(looks++, noise) : '404 page not found');
    });
    const nodes = ['--node', `good=${good.url}`, '--node', `big=${big.url}`];
    service = home.launch(['start', ...nodes, '--port', '0'], {
      databaseUrl: database.url,
      env: { NODE_OPTIONS: HEAP },
    });
    await service.ready;
    await waitFor(
      'the large rows',
      async () => {
        const [row] = await dataSource.query<{ count: bigint }[]>(
          `SELECT count(*) AS count FROM submission s JOIN node n USING (node_key) WHERE n.id = 'big'`,
        );
        return Number(row?.count) >= ROWS || undefined;
      },
      PATIENCE_MS,
    );
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await good?.stop();
    await big?.close();
    await dataSource?.destroy();
    await database?.stop();
  }, PATIENCE_MS);

  /** Checks the service during an attack, as monitoring does. */
  const watchOver = async (attack: Promise<unknown>): Promise<Watched> => {
    const live = new Set<number>();
    let [slowestMs, unready, inARow] = [0, 0, 0];
    const over = new AbortController();
    const ending = attack.finally(() => over.abort());
    while (!over.signal.aborted) {
      const from = performance.now();
      live.add(await statusOf('/health/live'));
      slowestMs = Math.max(slowestMs, performance.now() - from);
      inARow = (await statusOf('/health/ready')) === 200 ? 0 : inARow + 1;
      unready = Math.max(unready, inARow);
      await sleep(200);
    }
    await ending;
    return { slowestMs, live, unready };
  };
  const statusOf = (path: string): Promise<number> =>
    fetch(service.address + path, { headers: { connection: 'close' } }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );

  /** The longest time without a poll of the well-behaved node. */
  const findGap = async (since: Date): Promise<number> => {
    const [row] = await dataSource.query<{ gap: number | null }[]>(
      `SELECT max((body->'looks'->>'longestGapMs')::float8) AS gap FROM event
        WHERE stream = 'good/submissions' AND recorded_at >= $1 AND body->'looks' IS NOT NULL`,
      [since],
    );
    return row?.gap ?? Infinity;
  };

  const expectToHold = async (
    given: Pick<Attack, 'kind' | 'path' | 'body' | 'clients'>,
  ): Promise<Statuses> => {
    const since = new Date();
    const attacking = attack({ ...given, url: service.address, ms: SECONDS * 1_000 });
    const { slowestMs, live, unready } = await watchOver(attacking);
    // Waits for the poll that ends the last gap.
    await sleep(2_500);
    expect(service.log).not.toContain('heap limit');
    expect(live).toEqual(new Set([200]));
    expect(unready).toBeLessThanOrEqual(MOST_UNREADY);
    expect(slowestMs).toBeLessThan(SLOWEST_PROBE_MS);
    expect(await findGap(since)).toBeLessThan(LONGEST_GAP_MS);
    const peak = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
    expect(Number(peak)).toBeLessThan(MOST_MEMORY_KB);
    const statuses = await attacking;
    for (const status of Object.keys(statuses)) expect(['0', '200', '429']).toContain(status);
    return statuses;
  };

  const RAW = '{ submissions(first: 15, filter: {nodes: ["big"]}) { nodes { raw } } }';

  it(
    'continues to record while 30 clients read raw rows',
    async () => {
      const body = JSON.stringify({ query: RAW });
      await expectToHold({ kind: 'READ', path: '/graphql', body, clients: 30 });
    },
    PATIENCE_MS,
  );

  it(
    'continues to record while 100 clients read nothing of the list that they request',
    async () => {
      const path = '/nodes/big/da/submissions?limit=20';
      await expectToHold({ kind: 'HOLD', path, clients: 100 });
    },
    PATIENCE_MS,
  );

  it(
    'continues to record while 60 clients request statistics of the list',
    async () => {
      await expectToHold({ kind: 'READ', path: '/nodes/big/da/stats', clients: 60 });
    },
    PATIENCE_MS,
  );

  it(
    'continues to record, and answers, while 1,000 connections send nothing',
    async () => {
      await expectToHold({ kind: 'IDLE', clients: 1_000 });
    },
    PATIENCE_MS,
  );

  it('answers as before when they have left', async () => {
    const answer = await waitFor('room', () =>
      service.graphql<{ submissions: { nodes: { raw: { message: string } }[] } }>(RAW),
    );
    expect(answer.submissions.nodes.length).toBeGreaterThanOrEqual(ROWS);
    for (const { raw } of answer.submissions.nodes) expect(raw.message).toHaveLength(ROW_BYTES);
    const list = await fetch(`${service.address}/nodes/big/da/submissions`);
    const { submissions } = (await list.json()) as { submissions: { message: string }[] };
    expect(submissions.map(({ message }) => message.length)).toEqual(Array(ROWS).fill(ROW_BYTES));
  });
});
