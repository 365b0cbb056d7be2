import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LiveNodes } from '../../src/api/node-interface/live-nodes.js';
import { loadSettings } from '../../src/settings/settings.js';
import { ManualClock } from '../support/manual-clock.js';

/** The most requests that may be under way or waiting. */
const MOST = 8 + 64;
/** The requests that a node receives in a minute. */
const BUDGET = 60;
const NAMESPACE = '00';

describe('nodes that are queried for clients', () => {
  let server: Server;
  let live: LiveNodes;
  let clock: ManualClock;
  let asked: string[];
  let answer: (response: ServerResponse) => void;

  beforeEach(async () => {
    asked = [];
    clock = new ManualClock(Date.UTC(2026, 10, 21));
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      answer(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { nodes } = loadSettings({
      flags: { node: [`one=${url}`, `two=${url}/other`] },
      env: {},
      file: undefined,
    });
    live = new LiveNodes({ clock, nodes });
    answer = (response) => response.writeHead(500).end('Failed to retrieve blob: blob: not found');
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await live.onModuleDestroy();
  });

  const blobOf = (id: number, need?: 'IF_FREE') =>
    live.findBlob('one', id.toString(16).padStart(24, '0'), NAMESPACE, need);

  it('receive a limited number of queries at once: the excess is refused, or skipped if it is optional', async () => {
    answer = () => undefined;
    const question = (index: number): Promise<unknown> =>
      live
        .findBlock(index % 2 === 0 ? 'one' : 'two', { height: BigInt(index) })
        .catch((error: unknown) => error);
    const waiting = Array.from({ length: MOST }, (_, index) => question(index));
    expect(await question(MOST)).toMatchObject({ code: 'RATE_LIMITED' });
    expect(await live.findBlock('one', { height: 1_000n }, 'IF_FREE')).toBeUndefined();
    server.closeAllConnections();
    server.close();
    await Promise.all(waiting);
  });

  it('are asked once for data that they do not have, and again after a while', async () => {
    const askMany = async (): Promise<void> => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => blobOf(1)));
      for (const found of answers) expect(found).toMatchObject({ ok: false, missing: true });
    };
    await askMany();
    await askMany();
    expect(asked).toHaveLength(1);
    await clock.advance(30_000);
    await askMany();
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    await askMany();
    expect(asked).toHaveLength(2);
  });

  it('are kept apart, as are the data that they are asked for', async () => {
    await blobOf(1);
    await live.findBlob('two', '1'.padStart(24, '0'), NAMESPACE);
    await live.findBlob('one', '1'.padStart(24, '0'), '01');
    await live.findBlock('one', { height: 1n });
    expect(asked.filter((path) => path.includes('/da/blob'))).toHaveLength(3);
    expect(asked.length).toBeGreaterThan(3);
  });

  it('are asked again after they did not answer', async () => {
    answer = (response) => response.destroy();
    expect(await blobOf(1)).toMatchObject({ ok: false, state: 'UNREACHABLE' });
    expect(await blobOf(1)).toMatchObject({ ok: false, state: 'UNREACHABLE' });
    expect(asked).toHaveLength(2);
  });

  it('are asked a limited number of times in a minute, whatever clients ask for', async () => {
    const outcomes: string[] = [];
    for (let id = 0; id < BUDGET + 20; id += 1) {
      outcomes.push(
        await blobOf(id).then(
          () => 'answered',
          (error: { code: string }) => error.code,
        ),
      );
    }
    const refused = Array<string>(20).fill('RATE_LIMITED');
    expect(outcomes).toEqual([...Array<string>(BUDGET).fill('answered'), ...refused]);
    expect(asked).toHaveLength(BUDGET);
    expect(await blobOf(1_000, 'IF_FREE')).toBeUndefined();
    // Known data cost nothing.
    expect(await blobOf(0)).toMatchObject({ missing: true });
    await clock.advance(10_000);
    for (let id = 2_000; id < 2_020; id += 1) await blobOf(id, 'IF_FREE');
    expect(asked).toHaveLength(BUDGET + 10);
    await clock.advance(3_600_000);
    for (let id = 3_000; id < 3_100; id += 1) await blobOf(id, 'IF_FREE');
    expect(asked).toHaveLength(BUDGET + 10 + BUDGET);
  });

  it('are asked once for clients that want the same at the same time, and again for a later client', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ height: 1, commitment: 'cc', size: 1, content: 'ab' }));
    };
    for (const found of await Promise.all([1, 1, 1].map((id) => blobOf(id)))) {
      expect(found).toMatchObject({ ok: true, value: { content: Buffer.from([0xab]) } });
    }
    expect(asked).toHaveLength(1);
    // The node may be able to fetch the data by now, so it is asked again.
    await blobOf(1);
    expect(asked).toHaveLength(2);
  });
});
