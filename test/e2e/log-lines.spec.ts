import type { DataSource } from 'typeorm';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { createDataSource } from '../../src/platform/database.js';
import { itAtOnce } from '../support/at-once.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 180_000;

interface Line {
  readonly msg: string;
  readonly node?: string;
  readonly chain?: string;
  readonly [field: string]: unknown;
}

interface Ready {
  readonly status: number;
  readonly ready: boolean;
  readonly reason?: string;
  readonly observing?: string;
}

/** The trouble of each node of one service. */
const NODES = ['failing', 'bursting', 'leaving'] as const;
type Node = (typeof NODES)[number];
const chainOf = (node: Node): string => `${node}-1`;

const NO_LONGER = /: (DA|NODE) is (HEALTHY|WARNING|UNKNOWN), no longer CRITICAL$/;

const CHAINS = '{ nodes { chain } }';
const COUNTS = '{ nodes { id submissionCount } }';

describe('log lines of a service in trouble', () => {
  const home = new ServiceHome();
  const nodes = new Map<Node, Devnode>();
  let database: TestDatabase;
  let service: ServiceProcess;

  const nodeOf = (node: Node): Devnode => nodes.get(node) as Devnode;
  const start = (): Promise<ServiceProcess> => {
    const flags = NODES.flatMap((node) => ['--node', `${node}=${nodeOf(node).url}`]);
    const starting = home.launch(['start', ...flags, '--port', '0'], { databaseUrl: database.url });
    return starting.ready.then(() => starting);
  };
  const lines = (msg: string | RegExp): Line[] =>
    service.log
      .split('\n')
      .filter((text) => text.startsWith('{'))
      .map((text) => JSON.parse(text) as Line)
      .filter((line) => (typeof msg === 'string' ? line.msg === msg : msg.test(line.msg)));
  const linesOf = (node: Node, msg: string | RegExp): Line[] =>
    lines(msg).filter((line) => line.node === node);
  const waitForLine = (node: Node, msg: string | RegExp): Promise<Line> =>
    waitFor(`the line '${msg}'`, () => linesOf(node, msg)[0]);

  beforeAll(async () => {
    database = await startEmptyDatabase();
    for (const node of NODES) {
      const options = { chainId: chainOf(node), blockTimeMs: 200, daBlockTimeMs: 400 };
      nodes.set(node, await startDevnode(options));
    }
    service = await start();
    await waitFor('the chain of each', async () => {
      const answer = await service.graphql<{ nodes: { chain: string | null }[] }>(CHAINS);
      return answer.nodes.filter(({ chain }) => chain !== null).length === NODES.length || undefined;
    });
  }, PATIENCE_MS);
  afterAll(async () => {
    await home.clear();
    for (const node of nodes.values()) await node.stop();
    await database?.stop();
  }, PATIENCE_MS);

  it('have one line for all migrations of a first start', () => {
    expect(lines('migrated')).toEqual([]);
    expect(lines('the database is migrated to this version')).toMatchObject([
      { level: 'info', migrations: expect.any(Number) as number },
    ]);
  });

  async function namesFailure(): Promise<void> {
    const node = nodeOf('failing');
    await waitForLine('failing', 'list of submissions');
    expect(linesOf('failing', 'list of submissions')).toMatchObject([{ state: 'AVAILABLE' }]);
    expect(linesOf('failing', 'failing: DA is CRITICAL')).toEqual([]);
    node.faults.begin('down');
    expect(await waitForLine('failing', 'failing: DA is CRITICAL')).toMatchObject({
      chain: chainOf('failing'),
      state: 'CRITICAL',
      rule: expect.any(String) as string,
      reason: expect.stringMatching(/./) as string,
      since: expect.stringMatching(/^20\d\d-.*Z$/) as string,
    });
    node.faults.end('down');
    expect(await waitForLine('failing', NO_LONGER)).toMatchObject({
      chain: chainOf('failing'),
    });
    expect(linesOf('failing', 'failing: DA is CRITICAL')).toHaveLength(1);
  }

  async function namesHole(): Promise<void> {
    await waitForLine('bursting', 'list of submissions');
    nodeOf('bursting').burst(200);
    expect(await waitForLine('bursting', 'a gap: rows of the list may have been missed')).toMatchObject({
      chain: chainOf('bursting'),
      found: 'SubmissionWindowLost',
      minLost: expect.any(Number) as number,
    });
  }

  async function namesEnd(): Promise<void> {
    const chain = chainOf('leaving');
    await waitForLine('leaving', 'list of submissions');
    await nodeOf('leaving').stop();
    expect(await waitForLine('leaving', 'leaving: NODE is CRITICAL')).toMatchObject({ chain });
    expect(linesOf('leaving', 'list of submissions').at(-1)).toMatchObject({ chain, state: 'UNREACHABLE' });
    await nodeOf('leaving').start();
    expect(await waitForLine('leaving', NO_LONGER)).toMatchObject({ chain });
  }

  itAtOnce(
    {
      'name node and chain when the DA layer fails and when it has recovered': namesFailure,
      'name node and chain when the list has a gap': namesHole,
      'name node and chain when the node is gone, and when it is back': namesEnd,
      'report not ready within a minute of a full disk, with the reason, and ready once there is space':
        isNotReadyOnFullDisk,
    },
    2 * PATIENCE_MS,
  );

  it(
    'do not repeat the trouble after a restart',
    async () => {
      expect(await service.kill('SIGTERM')).toBe(0);
      service = await start();
      const readCount = async (): Promise<number> => {
        const answer = await service.graphql<{ nodes: { id: string; submissionCount: string }[] }>(COUNTS);
        return Number(answer.nodes.find(({ id }) => id === 'failing')?.submissionCount);
      };
      const before = await readCount();
      await waitFor('new rows', async () => ((await readCount()) > before ? true : undefined));
      expect(lines('the database is migrated to this version')).toEqual([]);
      expect(lines(NO_LONGER)).toEqual([]);
    },
    PATIENCE_MS,
  );
});

/** Uses its own service and database, since nothing can be recorded there. */
async function isNotReadyOnFullDisk(): Promise<void> {
  const home = new ServiceHome();
  const database = await startEmptyDatabase();
  const dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
  const node = await startDevnode({ chainId: 'ready-1', blockTimeMs: 1_000, daBlockTimeMs: 1_000 });
  try {
    const service = await home.start(`dev=${node.url}`, { databaseUrl: database.url });
    await fillsDisk(service, dataSource);
  } finally {
    await home.clear();
    await node.stop();
    await dataSource.destroy();
    await database.stop();
  }
}

async function fillsDisk(service: ServiceProcess, dataSource: DataSource): Promise<void> {
  const ask = async (): Promise<Ready> => {
    const response = await fetch(`${service.address}/health/ready`);
    return { status: response.status, ...((await response.json()) as Omit<Ready, 'status'>) };
  };
  await waitFor('it to lead', async () => (await ask()).observing === 'leading' || undefined);
  expect(await ask()).toMatchObject({ status: 200, ready: true });
  await dataSource.query(`
    CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER full_disk BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION full_disk()`);
  const full = await waitFor(
    'it to notice',
    async () => {
      const answer = await ask();
      return answer.status === 503 ? answer : undefined;
    },
    PATIENCE_MS,
  );
  expect(full.reason).toMatch(/^Nothing could be recorded for \d+ s: .*No space left on device/);
  await dataSource.query('DROP TRIGGER full_disk ON event');
  await waitFor('it to record again', async () => (await ask()).status === 200 || undefined, PATIENCE_MS);
}
