import type { DecodedBlock } from '../../src/domain/blocks/block.js';
import { HttpClient } from '../../src/platform/http.js';
import { startBlockNode, type BlockNode, type OddAnswer } from '../support/block-node.js';
import { BlockWatch, type BlockWatchOptions } from '../support/block-watch.js';
import { buildChain } from '../support/chain-builder.js';
import { useDatabase } from '../support/use-database.js';

const dataSource = useDatabase();
const http = new HttpClient();
const closing: (() => Promise<void>)[] = [];
const PANIC = { status: 500, body: '{"code":"internal","message":"runtime error: index out of range"}' };
const GATEWAY = { status: 200, body: '{"status":"upstream is starting"}' };
let chains = 0;

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});
afterAll(() => http.close());

async function startNode(blocks: readonly DecodedBlock[]): Promise<BlockNode> {
  const node = await startBlockNode();
  node.blocks = blocks;
  closing.push(() => node.close());
  return node;
}

function chainOf(count: number): DecodedBlock[] {
  const blocks = buildChain({ chainId: `owing-${++chains}`, count });
  return blocks.map((block) => ({ ...block, headerDaHeight: 7n, dataDaHeight: 8n }));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

class Watch extends BlockWatch {
  constructor(url: string, options: BlockWatchOptions = {}) {
    super({ dataSource, http }, url, options);
  }

  async lookFor(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    while (this.clock.now() < end) await this.poll();
  }

  async skipped(): Promise<string[]> {
    const events = await this.events('BlockUnreadable', 'BlocksPruned');
    return events.map(({ type, body }) =>
      'from' in body ? `${type} ${body.from}-${body.to}` : `${type} ${body.height}-${body.to ?? body.height}`,
    );
  }
}

const requestsFor = (node: BlockNode, height: number): number =>
  node.requests.filter((request) => request === `GetBlock ${height}`).length;

describe('a block that a node does not return', () => {
  it.each<readonly [string, OddAnswer]>([
    ['fails', PANIC],
    ['closes the connection', 'CLOSED'],
    ['cuts its answer off', 'CUT'],
    ['stays silent', 'SILENT'],
    ['answers with JSON of another kind', GATEWAY],
    ['answers with a page', { status: 502, body: '<html>bad gateway</html>' }],
  ])('does not stop the record of later blocks where the node %s at its height', async (_, odd) => {
    const node = await startNode(chainOf(40));
    node.oddAnswers.set(12n, odd);
    const watch = new Watch(node.url);
    for (let look = 0; look < 4; look++) await watch.poll();
    expect(await watch.heights()).toEqual([...range(1, 11), ...range(13, 40)]);
    expect(await watch.skipped()).toEqual(['BlockUnreadable 12-12']);
    node.oddAnswers.clear();
    await watch.lookFor(30_000);
    expect(await watch.heights()).toEqual([...range(1, 11), ...range(13, 40), 12]);
    expect(await watch.failures()).toEqual({});
    expect((await watch.blocks()).at(-1)?.checks).toMatchObject({ link: 'PASSED', hash: 'PASSED' });
  });

  it('is requested at growing pauses, up to once an hour, if it never comes', async () => {
    const node = await startNode(chainOf(40));
    node.oddAnswers.set(12n, PANIC);
    const watch = new Watch(node.url);
    for (let look = 0; look < 5; look++) await watch.poll();
    const before = requestsFor(node, 12);
    await watch.lookFor(600_000);
    expect(requestsFor(node, 12) - before).toBeLessThanOrEqual(6);
    expect(requestsFor(node, 12) - before).toBeGreaterThanOrEqual(4);
    expect(await watch.skipped()).toHaveLength(1);
  });

  it('is requested again by another process after one process skipped it', async () => {
    const node = await startNode(chainOf(40));
    node.oddAnswers.set(12n, 'CLOSED');
    const watch = new Watch(node.url);
    for (let look = 0; look < 4; look++) await watch.poll();
    watch.observer = watch.create();
    node.oddAnswers.clear();
    await watch.lookFor(30_000);
    expect([...(await watch.heights())].sort((a, b) => a - b)).toEqual(range(1, 40));
  });

  it('may be the first block', async () => {
    const node = await startNode(chainOf(40));
    node.oddAnswers.set(1n, 'CLOSED').set(2n, PANIC);
    const watch = new Watch(node.url);
    for (let look = 0; look < 4; look++) await watch.poll();
    expect(await watch.heights()).toEqual(range(3, 40));
    node.oddAnswers.clear();
    await watch.lookFor(30_000);
    expect([...(await watch.heights())].sort((a, b) => a - b)).toEqual(range(1, 40));
    expect(await watch.failures()).toEqual({});
  });

  it('is skipped in one step with the blocks behind it, and each is recorded once when it comes', async () => {
    const node = await startNode(chainOf(900));
    for (let height = 100n; height < 800n; height++) node.oddAnswers.set(height, PANIC);
    const watch = new Watch(node.url);
    for (let look = 0; look < 5; look++) await watch.poll();
    expect(await watch.skipped()).toEqual(['BlockUnreadable 100-799']);
    for (let height = 100n; height < 800n; height++) if (height !== 333n) node.oddAnswers.delete(height);
    await watch.lookFor(120_000);
    const heights = [...(await watch.heights())].sort((a, b) => a - b);
    expect(heights).toEqual(range(1, 900).filter((height) => height !== 333));
    expect(await watch.failures()).toEqual({});
  });

  it('is not skipped while the node returns no block at all', async () => {
    const chain = chainOf(195);
    const node = await startNode(chain.slice(0, 100));
    const watch = new Watch(node.url);
    await watch.poll();
    for (let height = 101; height <= 140; height++) {
      node.gateway = [GATEWAY, PANIC, { status: 404, body: '{"error":"no route"}' }][height % 3] ?? GATEWAY;
      node.blocks = chain.slice(0, height);
      await watch.poll();
    }
    node.gateway = null;
    node.blocks = chain;
    await watch.poll();
    expect(await watch.heights()).toEqual(range(1, 195));
    expect(await watch.skipped()).toEqual([]);
  });

  it('is no proof of a silent chain while no block can be read', async () => {
    const chain = chainOf(195);
    const node = await startNode(chain.slice(0, 100));
    const watch = new Watch(node.url);
    await watch.poll();
    const looks = async () =>
      (await watch.events()).reduce(
        (sum, { body }) => sum + ('looks' in body ? ((body.looks as { count: number }).count ?? 0) : 0),
        watch.book.peek()?.count ?? 0,
      );
    const before = await looks();
    node.gateway = GATEWAY;
    for (let height = 101; height <= 130; height++) {
      node.blocks = chain.slice(0, height);
      await watch.poll();
      expect(watch.observer.hasSeen).toBe(false);
    }
    expect(await looks()).toBe(before);
  });

  it('is left alone if it is of another history than the recorded one', async () => {
    const chain = chainOf(40);
    const node = await startNode(chain);
    node.oddAnswers.set(12n, PANIC);
    const watch = new Watch(node.url);
    for (let look = 0; look < 4; look++) await watch.poll();
    const other = buildChain({ chainId: `owing-${chains}`, salt: 'other', count: 12 });
    node.blocks = chain.map((block) => (block.header.height === 12n ? (other[11] as DecodedBlock) : block));
    node.oddAnswers.clear();
    await watch.lookFor(60_000);
    expect(await watch.heights()).toEqual([...range(1, 11), ...range(13, 40)]);
    expect(await watch.events('BlockChainBroken')).toEqual([]);
  });

  it('is no longer requested once the node says that it dropped the block', async () => {
    const node = await startNode(chainOf(40));
    node.oddAnswers.set(12n, PANIC);
    const watch = new Watch(node.url);
    for (let look = 0; look < 4; look++) await watch.poll();
    node.oldest = 20n;
    await watch.lookFor(70_000);
    const before = requestsFor(node, 12);
    await watch.lookFor(700_000);
    expect(requestsFor(node, 12)).toBe(before);
  });
});
