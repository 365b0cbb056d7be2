import { HttpClient } from '../../src/platform/http.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startBlockNode, type BlockNode } from '../support/block-node.js';
import { BlockWatch } from '../support/block-watch.js';
import { buildChain } from '../support/chain-builder.js';
import { projectAll } from '../support/read-models.js';
import { useApi } from '../support/use-database.js';

const GATEWAY = { status: 200, body: '{"status":"upstream is starting"}' };

interface Told {
  readonly nodes: readonly { id: string; blockCount: string; blocksMissing: string | null }[];
  readonly statistics: readonly { blocksProduced: string | null; blocksMissing: string | null }[];
}

describe('blocks that a node owes', () => {
  const api = useApi();
  const http = new HttpClient();
  let node: BlockNode;

  beforeAll(async () => {
    node = await startBlockNode();
  });
  afterAll(async () => {
    await node?.close();
    await http.close();
  });

  async function ask(
    id: string,
  ): Promise<{ blocks: string | null; missing: string | null; owed: string | null }> {
    await projectAll(api.dataSource);
    await new RollUp(api.dataSource).run();
    const { nodes, statistics } = await api.read<Told>(`{
      nodes { id blockCount blocksMissing }
      statistics(filter: {nodes: ["${id}"]}, bucket: YEAR, from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z") {
        blocksProduced blocksMissing } }`);
    const owed = nodes.find((each) => each.id === id)?.blocksMissing ?? null;
    const [row] = statistics;
    return { blocks: row?.blocksProduced ?? null, missing: row?.blocksMissing ?? null, owed };
  }

  const reasonOf = async (id: string): Promise<string> => {
    const [row]: { rule: string; reason: string }[] = await api.dataSource.query(
      `SELECT rule, reason FROM health_interval WHERE node = $1 AND component = 'NODE' AND to_at IS NULL AND to_position IS NULL`,
      [id],
    );
    return `${row?.rule}: ${row?.reason}`;
  };

  it("are missing from figures and from the node's line until the node returns them, across restarts and an outage", async () => {
    const chain = buildChain({ chainId: 'owed-1', count: 122 }).map((block) => ({
      ...block,
      headerDaHeight: 7n,
      dataDaHeight: 8n,
    }));
    node.blocks = chain.slice(0, 60);
    node.oddAnswers.set(12n, 'CLOSED').set(30n, 'CUT').set(31n, { status: 500, body: 'panic' });
    const watch = new BlockWatch({ dataSource: api.dataSource, http }, node.url);
    const { id } = watch.node;
    await watch.store.append({
      stream: `${id}/probes`,
      expectedVersion: 0n,
      events: [
        {
          type: 'ProbeChanged',
          observedAt: watch.clock.now(),
          body: {
            looks: { first: watch.clock.now(), last: watch.clock.now(), count: 1, longestGapMs: 0 },
            probe: 'reachable',
            outcome: 'OK',
            statusCode: 200,
            detail: '',
            latencyMs: 1,
          },
        },
      ],
    });
    for (let look = 0; look < 8; look++) await watch.poll();
    expect(await ask(id)).toEqual({ blocks: '57', missing: '3', owed: '3' });
    expect(await reasonOf(id)).toContain('blocks-missing: The node answers, but does not return block');

    // Another server answers in place of the node, which makes more blocks meanwhile.
    node.gateway = GATEWAY;
    node.blocks = chain;
    for (let look = 0; look < 15; look++) await watch.poll();
    expect(await ask(id)).toEqual({ blocks: '57', missing: '65', owed: '3' });

    watch.observer = watch.create();
    node.gateway = null;
    await watch.poll();
    node.oddAnswers.delete(30n);
    node.oddAnswers.delete(31n);
    const end = watch.clock.now() + 200_000;
    while (watch.clock.now() < end) await watch.poll();
    expect(await ask(id)).toEqual({ blocks: '121', missing: '1', owed: '1' });

    watch.observer = watch.create();
    node.oddAnswers.clear();
    const later = watch.clock.now() + 4_000_000;
    while (watch.clock.now() < later) await watch.poll();
    expect(await ask(id)).toEqual({ blocks: '122', missing: '0', owed: '0' });
    expect(await reasonOf(id)).not.toContain('blocks-missing');
    expect([...(await watch.heights())].sort((a, b) => a - b)).toEqual(
      chain.map(({ header }) => Number(header.height)),
    );
  });
});
