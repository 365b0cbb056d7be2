import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { HttpClient } from '../../src/platform/http.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { appendLog } from '../support/append-log.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { outcomeOf, transportsTo } from '../support/node-clients.js';
import { projectAll } from '../support/read-models.js';
import { SmallLog } from '../support/small-log.js';
import { WatchedServices } from '../support/watched-services.js';

const NAMES = [...transportsTo('http://127.0.0.1').keys()];
const CHAIN = 'shared-1';
const BLOCKS = 12;
const DAY_MS = 86_400_000;
/** Longer than the wait for one node of the chain, and shorter than the wait for two. */
const PATIENCE_MS = 7_000;

interface Block {
  readonly block: {
    readonly header: unknown;
    readonly data: { readonly txs?: readonly string[]; readonly metadata: Record<string, unknown> };
  };
}

describe('a block whose node is gone', () => {
  const clock = new ManualClock(SmallLog.START);
  const readersClock = new ManualClock(SmallLog.START);
  const http = new HttpClient();
  let database: TestDatabase;
  let api: ApiServer;
  let alpha: Devnode;
  let beta: Devnode;
  /** Claims the same chain, and was seen last. */
  let liar: Server;
  let answerOfLiar: (response: ServerResponse) => void;
  let askedOfLiar = 0;
  /** Blocks as the node itself showed them, the empty ones and the others. */
  const own = new Map<number, Block>();
  /** An empty block, and two others. */
  const someOf = (blocks: typeof own): readonly (readonly [number, Block])[] => {
    const [empty] = [...blocks].filter(([, { block }]) => !block.data.txs);
    return [empty!, ...[...blocks].filter(([, { block }]) => block.data.txs).slice(0, 2)];
  };
  const filled = (): number[] => [...own.keys()].filter((height) => own.get(height)?.block.data.txs);

  const ask = (base: string, height: number, name = 'gRPC', query = '') =>
    outcomeOf(transportsTo(base, query).get(name)!, 'StoreService/GetBlock', {
      identifier: { case: 'height', value: BigInt(height) },
    });
  const base = (node = 'alpha'): string => `${api.url}/nodes/${node}`;
  /** No other node is asked for the earlier data: nothing on record could confirm its answer. */
  const withoutLastDataHash = ({ block, ...rest }: Block): Block => {
    const { lastDataHash: _, ...metadata } = block.data.metadata;
    return { ...rest, block: { ...block, data: { ...block.data, metadata } } };
  };
  const unavailable = { refused: 'Unavailable', message: expect.stringContaining('transactions') as unknown };

  beforeAll(async () => {
    alpha = await startDevnode({ chainId: CHAIN, clock, blockTimeMs: 0 });
    alpha.produce(BLOCKS);
    beta = await startDevnode({ chainId: CHAIN, clock, blockTimeMs: 400, follow: alpha.url });
    while (beta.chain.headHeight < BLOCKS) {
      await clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    liar = createServer((request, response) => {
      void new Response(request as never).json().then((asked) => {
        // The node has the service, but no newest block.
        if ((asked as { height: number }).height === 0)
          return response.writeHead(404).end('{"code":"not_found"}');
        askedOfLiar += 1;
        return answerOfLiar(response);
      });
    });
    await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve));
    const urlOfLiar = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`;
    database = await startTestDatabase();
    api = await startApi(database.url, {
      clock: readersClock,
      nodes: [
        { id: 'alpha', url: alpha.url, service: 'evnode.v1' },
        { id: 'beta', url: beta.url, service: 'evnode.v1' },
        { id: 'liar', url: urlOfLiar, service: 'evnode.v1' },
        { id: 'stranger', url: urlOfLiar, service: 'evnode.v1' },
      ],
    });
    const log = new SmallLog().register('alpha').register('beta').register('liar').describe('liar', CHAIN);
    log.register('stranger').describe('stranger', 'other-1');
    log.now = DAY_MS;
    await appendLog(api.dataSource, log.watch('liar').watch('stranger').events);
    const watch = (node: Devnode, id: string) =>
      new WatchedServices(api.dataSource, http, clock, node, { id }).poll();
    await watch(alpha, 'alpha');
    await watch(beta, 'beta');
    for (let height = 1; height <= BLOCKS; height += 1) {
      own.set(height, (await ask(alpha.url, height)) as Block);
    }
    await projectAll(api.dataSource);
    await alpha.stop();
  }, 120_000);
  beforeEach(async () => {
    await readersClock.advance(60_000);
    askedOfLiar = 0;
    answerOfLiar = (response) => response.destroy();
  });
  afterAll(async () => {
    await api.stop();
    await database.stop();
    await http.close();
    liar.closeAllConnections();
    liar.close();
  });

  it('has transactions, as most blocks do, or is empty', () => {
    expect(filled().length).toBeGreaterThan(BLOCKS / 2);
    expect(filled().length).toBeLessThan(BLOCKS);
  });

  it.each(NAMES)('is served with the transactions of a living node of its chain, by %s', async (name) => {
    for (const [height, block] of someOf(own)) {
      expect(await ask(base(), height, name)).toEqual(withoutLastDataHash(block));
    }
    const at = `?at=${new Date(clock.now()).toISOString()}`;
    const [height = 0] = filled();
    expect(await ask(base(), height, name, at)).toEqual(withoutLastDataHash(own.get(height)!));
  });

  describe('next to a node of its chain that lies', () => {
    const sendBlock = (response: ServerResponse, block: object): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(block));
    };
    const lies: Readonly<Record<string, (response: ServerResponse, block: Block) => void>> = {
      'no transactions': (response, { block, ...rest }) =>
        sendBlock(response, { ...rest, block: { ...block, data: { ...block.data, txs: undefined } } }),
      'an altered transaction': (response, { block, ...rest }) => {
        const [first = '', ...others] = block.data.txs ?? [];
        const altered = Buffer.from(first, 'base64');
        altered[0]! ^= 1;
        const txs = [altered.toString('base64'), ...others];
        sendBlock(response, { ...rest, block: { ...block, data: { ...block.data, txs } } });
      },
      'one transaction more': (response, { block, ...rest }) => {
        const txs = [...(block.data.txs ?? []), 'AA=='];
        sendBlock(response, { ...rest, block: { ...block, data: { ...block.data, txs } } });
      },
      'something else': (response) => response.end('{"block":7}'),
      'an error': (response) => response.writeHead(500).end('{"code":"internal"}'),
    };

    it.each(Object.keys(lies))(
      'is served as it is, and the node that answers %s is asked once',
      async (lie) => {
        const [height = 0] = filled();
        answerOfLiar = (response) => lies[lie]!(response, own.get(height)!);
        for (let time = 0; time < 3; time += 1) {
          expect(await ask(base(), height)).toEqual(withoutLastDataHash(own.get(height)!));
        }
        expect(askedOfLiar).toBe(1);
      },
    );

    it('is served soon, whether that node answers nothing or more than the block can have', async () => {
      const [height = 0] = filled();
      const began = performance.now();
      answerOfLiar = () => undefined;
      expect(await ask(base(), height)).toEqual(withoutLastDataHash(own.get(height)!));
      expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
      await readersClock.advance(60_000);
      let sent = 0;
      answerOfLiar = (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const send = (): void => {
          if (response.destroyed) return;
          sent += 65_536;
          if (sent < 32 * 1_048_576) response.write(' '.repeat(65_536), () => setImmediate(send));
        };
        send();
      };
      expect(await ask(base(), height)).toEqual(withoutLastDataHash(own.get(height)!));
      // Bytes under way between two sockets are added to that.
      expect(sent).toBeLessThan(8 * 1_048_576);
    });
  });

  describe('while no node of its chain lives', () => {
    beforeAll(() => beta.stop());

    it.each(NAMES)('is unavailable, unless it has no transactions, by %s', async (name) => {
      for (const [height, block] of someOf(own)) {
        const answer = await ask(base(), height, name);
        expect([height, answer]).toEqual([
          height,
          block.block.data.txs ? unavailable : withoutLastDataHash(block),
        ]);
      }
      expect(askedOfLiar).toBeGreaterThan(0);
    });

    it('is missing for another Hindsight too, which gets the rest', async () => {
      const nodeApi = new NodeApi(http, clock, { url: base() });
      const [height = 0] = filled();
      expect(await nodeApi.block({ height: BigInt(height) })).toMatchObject({ ok: false, status: 503 });
      expect(own.get(BLOCKS)!.block.data.txs).toBeDefined();
      expect(await nodeApi.state()).toMatchObject({ ok: true, value: { lastBlockHeight: BigInt(BLOCKS) } });
    });

    it('is served with the transactions that the record of another node has', async () => {
      await appendLog(api.dataSource, new SmallLog().register('keeper').events);
      await alpha.start();
      const keeper = { id: 'keeper', record: 'full' } as const;
      await new WatchedServices(api.dataSource, http, clock, alpha, keeper).poll();
      await alpha.stop();
      await projectAll(api.dataSource);
      for (const [height, block] of own) {
        expect(await ask(base(), height)).toEqual(withoutLastDataHash(block));
      }
      expect(askedOfLiar).toBe(0);
    });
  });
});
