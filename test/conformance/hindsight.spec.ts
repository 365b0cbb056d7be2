import { judgeNode, type CheckedRow } from '../../src/conformance/conformance.js';
import { askNode } from '../../src/conformance/node-answers.js';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import type { BlockShape } from '../../src/domain/node-interface/known-block.js';
import { HttpClient } from '../../src/platform/http.js';
import { nodeWarning } from '../../src/platform/node-release.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

/** Rows that Hindsight reports and the devnode does not. */
const TOLD = [
  '2.4 total gas spent',
  '2.4 trends by hour and day',
  '2.4 average submission time',
  '2.4 total blobs',
];

const DIFFERS: Readonly<Record<BlockShape, readonly string[]>> = {
  // The node finds blocks only by the hash of the signed header, the record by the hash of the header.
  connect: [...TOLD, '4.1 lookup by hash'],
  specification: TOLD,
};

const SHAPES: readonly BlockShape[] = ['connect', 'specification'];

/** A node, and Hindsight in its place. */
interface World {
  readonly home: ServiceHome;
  readonly database: TestDatabase;
  readonly node: Devnode;
  readonly service: ServiceProcess;
}

async function startWorld(shape: BlockShape): Promise<World> {
  const home = new ServiceHome();
  const database = await startTestDatabase();
  const node = await startDevnode({
    chainId: 'conformance-1',
    shape,
    // Within the number of requests a minute that readers may send to this node: another Hindsight requests each block.
    blockTimeMs: 1_000,
    daBlockTimeMs: 1_000,
  });
  const service = home.launch(['start', '--node', `dev=${node.url}`, '--port', '0'], {
    databaseUrl: database.url,
    env: { HINDSIGHT_POLL_CEILING: '500ms' },
  });
  await service.ready;
  await waitFor('an included block, the probes, the claims and their statistics', () => isWhole(service));
  return { home, database, node, service };
}

async function stopWorld({ home, database, node }: World): Promise<void> {
  await home.clear();
  await node.stop();
  await database.stop();
}

const askNodeOf = ({ address }: ServiceProcess, path: string): Promise<Response> =>
  fetch(`${address}/nodes/dev${path}`);

async function isWhole(service: ServiceProcess): Promise<true | undefined> {
  // Reads the record: repeated requests for the block itself would use up the node's budget.
  const { blocks } = await service.graphql<{ blocks: { nodes: { headerDaHeight: string | null }[] } }>(
    '{ blocks(first: 2, order: HEIGHT_ASC) { nodes { headerDaHeight } } }',
  );
  const isIncluded = (blocks.nodes.at(1)?.headerDaHeight ?? null) !== null;
  const answers = await Promise.all(
    ['/da/submissions', '/da/health', '/da/stats', '/health/live', '/health/ready'].map((path) =>
      askNodeOf(service, path),
    ),
  );
  const { history } = (await (await askNodeOf(service, '/da/stats?history=only')).json()) as {
    history: { avg_submission_time_ms: number | null };
  };
  const isAnswered = answers.every(({ status }) => status === 200);
  return (isIncluded && isAnswered && history.avg_submission_time_ms !== null) || undefined;
}

/** Both start at the same time, and are queried one after the other. */
const worlds = new Map<BlockShape, World>();
beforeAll(async () => {
  await Promise.all(SHAPES.map(async (shape) => worlds.set(shape, await startWorld(shape))));
}, 240_000);
afterAll(() => Promise.all([...worlds.values()].map(stopWorld)));

/** Orders rows as sent by their own times. */
function byTime(a: string, b: string): number {
  const [left = '', right = ''] = [a, b].map((row) => /"timestamp":"([^"]+)"/.exec(row)?.[1] ?? '');
  return left < right ? -1 : left > right ? 1 : 0;
}

describe.each(SHAPES)('Hindsight in place of a devnode (%s)', (shape) => {
  const asked = shape === 'connect' ? { service: 'evnode.v1' } : { service: 'node.v1', shape: 'spec' };
  const http = new HttpClient();
  let { home, node, service } = {} as World;

  beforeAll(() => {
    ({ home, node, service } = worlds.get(shape) as World);
  });
  afterAll(() => http.close());

  const ask = (path: string): Promise<Response> => askNodeOf(service, path);
  const askBlock = (height: number, base = `${service.address}/nodes/dev`): Promise<Response> =>
    fetch(
      `${base}/${shape === 'connect' ? 'evnode' : 'node'}.v1.StoreService/GetBlock${shape === 'connect' ? '' : '?shape=spec'}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ height }),
      },
    );
  const verdicts = async (url: string): Promise<ReadonlyMap<string, CheckedRow>> =>
    new Map(
      judgeNode(await askNode(http, { ...asked, url })).map((judged) => [
        `${judged.section} ${judged.row}`,
        judged,
      ]),
    );

  it('serves each row of the specification as the node does, except additional fields', async () => {
    const [own, ours] = [await verdicts(node.url), await verdicts(`${service.address}/nodes/dev`)];
    const differing = [...ours].filter(([row, { verdict }]) => own.get(row)?.verdict !== verdict);
    expect(differing.map(([row]) => row).sort()).toEqual([...DIFFERS[shape]].sort());
    for (const [row, { verdict }] of differing) expect([row, verdict]).toEqual([row, 'AS_SPECIFIED']);
  });

  it('is checked against the specification by the command', async () => {
    const { code, out, error } = await home.run([
      'conformance',
      `${service.address}/nodes/dev`,
      ...Object.entries(asked).flatMap(([name, value]) => [`--${name}`, value]),
    ]);
    const warning = nodeWarning();
    expect([code, error]).toEqual([0, warning === undefined ? '' : `hindsight: ${warning}\n`]);
    expect(out).toMatch(/total gas spent +as specified/);
    expect(out).toMatch(shape === 'connect' ? /lastHeaderHash/ : /last_header_hash +as specified/);
  });

  it("names Hindsight's own path where it serves no node", async () => {
    const { code, error } = await home.run(['conformance', `${service.address}/`]);
    expect(code).toBe(1);
    expect(error).toMatch(
      /is Hindsight itself, and answers for no node at this address\.\s.*\/nodes\/ID .*--default-node/s,
    );
    expect(error).toContain(`${service.address}/nodes/ID`);
  });

  it('is monitored by another Hindsight like the node itself', async () => {
    const other = await startTestDatabase();
    try {
      const watching = home.launch(['start', '--node', `dev=${service.address}/nodes/dev`, '--port', '0'], {
        databaseUrl: other.url,
      });
      await watching.ready;
      await waitFor('the other record', async () => {
        const { blocks, submissions } = await recordOf(watching);
        return blocks.length >= 5 && submissions.length > 0 ? true : undefined;
      });
      const copy = await recordOf(watching);
      const original = await recordOf(service);
      expect(original.blocks).toEqual(expect.arrayContaining(copy.blocks));
      // Each of the five checks of a block, repeated on the served block.
      const passed = {
        link: 'PASSED',
        hash: 'PASSED',
        signature: 'PASSED',
        proposer: 'PASSED',
        data: 'PASSED',
      };
      expect(
        copy.blocks.filter((block) => block.endsWith(JSON.stringify({ checks: passed }).slice(1))).length,
      ).toBeGreaterThanOrEqual(3);
      // By their own times: nothing proves the order of two rows that a first poll shows.
      const [known, repeated] = [original.submissions, copy.submissions].map((rows) => rows.toSorted(byTime));
      const start = known?.findIndex((row) => row === repeated?.[0]) ?? -1;
      expect(start).toBeGreaterThanOrEqual(0);
      expect(known?.slice(start, start + copy.submissions.length)).toEqual(repeated);
      await watching.kill('SIGTERM');
    } finally {
      await other.stop();
    }
  }, 240_000);

  /** The first blocks with the results of their checks, and the rows of the list, oldest first. */
  const recordOf = async (
    of: ServiceProcess,
  ): Promise<{ readonly blocks: readonly string[]; readonly submissions: readonly string[] }> => {
    const { blocks, submissions } = await of.graphql<
      Record<'blocks' | 'submissions', { readonly nodes: readonly Record<string, unknown>[] }>
    >(`{ blocks(first: 5, order: HEIGHT_ASC) { nodes {
           height hash chainId dataHash checks { link hash signature proposer data } } }
         submissions(first: 1000, order: OBSERVED_ASC, filter: { nodes: ["dev"] }) { nodes { raw } } }`);
    const print = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row));
    return { blocks: print(blocks.nodes), submissions: print(submissions.nodes) };
  };

  it('shows a block as the node does, and only recorded data without the node', async () => {
    const [own, ours] = [await askBlock(3, node.url), await askBlock(3)];
    const block = (await own.json()) as { block: { header: unknown } };
    expect([ours.status, ours.headers.get('x-hindsight-missing')]).toEqual([200, null]);
    expect(((await ours.json()) as typeof block).block).toEqual(block.block);
    await node.stop();
    const alone = await askBlock(3);
    expect(alone.headers.get('x-hindsight-missing')).toContain('block.data.txs');
    // The real node's form cannot express unknown transactions.
    expect(alone.status).toBe(shape === 'connect' ? 503 : 200);
    if (shape === 'specification') {
      expect(((await alone.json()) as typeof block).block.header).toEqual(block.block.header);
    }
    await waitFor('the record of its end', async () =>
      (await ask('/health/live')).status === 503 ? true : undefined,
    );
    // The list is polled on its own schedule: until a poll fails, the last answer still proves it.
    const list = await waitFor('a list that nothing proves', async () => {
      const answer = await ask('/da/submissions');
      return answer.headers.get('x-hindsight-proven') === 'false' ? answer : undefined;
    });
    expect(list.status).toBe(200);
    expect(((await list.json()) as { total: number }).total).toBeGreaterThan(0);
  });
});
