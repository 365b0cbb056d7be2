import { setTimeout as sleep } from 'node:timers/promises';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import type { RingRow } from '../../src/devnode/submission-ring.js';
import { CHAOS_SEED } from '../support/chaos-seed.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import type { HostileServer } from '../support/hostile-server.js';
import { sendWhole, startRewritingProxy } from '../support/rewriting-proxy.js';
import { auditRing, watchRing } from '../support/ring-truth.js';
import { seededRandom } from '../support/seeded-random.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

/** A node that reports less than a recent release. No such node reports its namespaces. */
interface Terse {
  readonly id: string;
  readonly shape: 'connect' | 'specification';
  /** The part of a row that its list shows. */
  readonly told: (row: RingRow) => object;
}

/** Exactly the fields of the specification's submission record. */
function toSpecified({ timestamp, blob_ids, num_blobs, status_code, gas_price, message }: RingRow): object {
  return {
    timestamp,
    ...(blob_ids && { blob_ids }),
    num_blobs,
    status_code,
    gas_price,
    ...(message && { message }),
  };
}

function withoutIds(row: RingRow): object {
  const { blob_ids: _ids, ...rest } = toSpecified(row) as Partial<RingRow>;
  return rest;
}

const NODES: readonly Terse[] = [
  { id: 'untold', shape: 'connect', told: (row) => row },
  { id: 'specified', shape: 'specification', told: toSpecified },
  { id: 'heightless', shape: 'specification', told: withoutIds },
];

const LIVES = 3;
const LONGEST_LIFE_MS = 3_000;
/** Blocks made at once between two lives of the service: two rows each, more than the list holds. */
const BURST = 60;
const PATIENCE_MS = 240_000;

const EVIDENCE = `query ($id: ID!, $after: String) {
  submissions(filter: { nodes: [$id] }, first: 1000, after: $after) {
    nodes { status evidence } pageInfo { hasNextPage endCursor }
  }
}`;

/** A monitored node: the real node behind the address, and the rows that entered its list. */
interface Watched extends Terse {
  readonly node: Devnode;
  readonly proxy: HostileServer;
  readonly truth: readonly RingRow[];
}

describe(`nodes that report less, monitored by a service that is killed (seed ${CHAOS_SEED})`, () => {
  const home = new ServiceHome();
  const watched: Watched[] = [];
  let database: TestDatabase | undefined;
  let service: ServiceProcess;
  const launch = (): ServiceProcess => {
    const nodes = watched.flatMap(({ id, proxy }) => ['--node', `${id}=${proxy.url}`]);
    return home.launch(['start', ...nodes, '--port', '0'], { databaseUrl: database?.url });
  };

  beforeAll(async () => {
    database = await startTestDatabase();
    for (const terse of NODES) watched.push(await startTerse(terse));
    await killSomeTimes();
    service = launch();
    await service.ready;
    await settle();
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    for (const { node, proxy } of watched) {
      await proxy.close();
      await node.stop();
    }
    await database?.stop();
  }, PATIENCE_MS);

  it.each(NODES)(
    'records each row of $id once, and adds no reconstructed row for a recorded one',
    async ({ id }) => {
      const { truth, told } = watchedOf(id);
      const { faults, rows, missing } = await auditRing(service, id, truth, chainOf(id), told);
      expect(faults).toEqual([]);
      expect(rows.length + missing.length).toBe(truth.length);
      expect(missing.length).toBeGreaterThan(0);
    },
  );

  it.each(NODES)('calls no success of $id wasted, nor any decidable success unconfirmed', async ({ id }) => {
    const rows = await service.readAll<{ status: string; evidence: string }>(EVIDENCE, { id });
    const kinds = new Set(rows.filter(({ status }) => status === 'SUCCESS').map(({ evidence }) => evidence));
    expect([...kinds].filter((evidence) => evidence !== 'CONFIRMED' && evidence !== 'OBSERVED')).toEqual([]);
    // Successes cannot be confirmed without a DA height.
    if (id !== 'heightless') expect(kinds).toContain('CONFIRMED');
  });

  function watchedOf(id: string): Watched {
    const found = watched.find((each) => each.id === id);
    if (!found) throw new Error(`There is no node ${id}`);
    return found;
  }

  async function killSomeTimes(): Promise<void> {
    const random = seededRandom(CHAOS_SEED);
    for (let life = 0; life < LIVES; life++) {
      const victim = launch();
      await victim.ready;
      // If a process dies before its node reported its chain, the rows of its list have no chain. The first life therefore lasts
      // until all chains are known.
      if (life === 0) await waitFor('the chain of each list', () => haveChains(victim));
      await sleep(random() * LONGEST_LIFE_MS);
      await victim.kill('SIGKILL');
      if (life === 1) for (const { node } of watched) node.burst(BURST);
      if (life === 2) for (const { node } of watched) await node.restart();
    }
  }

  async function haveChains(victim: ServiceProcess): Promise<true | undefined> {
    for (const { id } of watched) {
      const { last } = await victim.graphql<{ last: { nodes: { chain: string | null }[] } }>(
        'query ($id: ID!) { last: submissions(filter: { nodes: [$id] }, first: 1) { nodes { chain } } }',
        { id },
      );
      if (last.nodes[0]?.chain !== chainOf(id)) return undefined;
    }
    return true;
  }

  /** Stops the load, and waits until all of it is recorded and projected. */
  async function settle(): Promise<void> {
    for (const { node } of watched) node.faults.begin('halted');
    for (const { id, node, truth, told } of watched) {
      await waitFor(`all of ${id} on the DA layer`, () =>
        node.chain.getMetadata('d') === node.chain.head?.header.height ? true : undefined,
      );
      await waitFor(`the record of ${id}`, async () => {
        const { of, last } = await service.graphql<{
          of: { blockCount: string; inclusionFrontier: string | null };
          last: { nodes: { raw: unknown }[] };
        }>(
          `query ($id: ID!) {
            of: node(id: $id) { blockCount inclusionFrontier }
            last: submissions(filter: { nodes: [$id] }, first: 1) { nodes { raw } }
          }`,
          { id },
        );
        const head = String(node.chain.head?.header.height);
        const newest = truth.at(-1);
        const isLast = newest && JSON.stringify(last.nodes[0]?.raw) === JSON.stringify(told(newest));
        return isLast && of.blockCount === head && of.inclusionFrontier === head ? true : undefined;
      });
    }
  }
});

function chainOf(id: string): string {
  return `${id}-1`;
}

async function startTerse(terse: Terse): Promise<Watched> {
  const { id, shape, told } = terse;
  const node = await startDevnode({ chainId: chainOf(id), shape, blockTimeMs: 200, daBlockTimeMs: 400 });
  const truth = watchRing(node);
  const proxy = await startRewritingProxy(node.url, (answer, response, { path }) => {
    if (path.endsWith('/GetNamespace')) return void response.writeHead(404).end();
    if (answer.status !== 200 || !path.startsWith('/da/submissions')) return sendWhole(answer, response);
    const body = JSON.parse(answer.body.toString()) as { submissions: RingRow[] };
    const submissions = body.submissions.map(told);
    sendWhole({ ...answer, body: Buffer.from(JSON.stringify({ ...body, submissions })) }, response);
  });
  return { ...terse, node, proxy, truth };
}
