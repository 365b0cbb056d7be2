import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LiveNodes } from '../../src/api/node-interface/live-nodes.js';
import type { ApiOptions } from '../../src/api/api-options.js';
import { SystemClock } from '../../src/platform/clock.js';
import { loadSettings } from '../../src/settings/settings.js';

/** As many as are under way and wait, at most. */
const MOST = 8 + 64;

describe('a node that hangs', () => {
  let server: Server;
  let live: LiveNodes;

  beforeAll(async () => {
    server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { nodes } = loadSettings({ flags: { node: [`hanging=${url}`] }, env: {}, file: undefined });
    live = new LiveNodes({ clock: new SystemClock(), nodes } as unknown as ApiOptions);
  });

  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await live.onModuleDestroy();
  });

  it('is asked so many questions at once, and beyond that only by whom it must be', async () => {
    const question = (): Promise<unknown> =>
      live.ask('hanging', (node) => node.block({ height: 1n })).catch((error: unknown) => error);
    const asked = Array.from({ length: MOST }, question);
    expect(await question()).toMatchObject({ code: 'RATE_LIMITED' });
    expect(await live.askIfFree('hanging', (node) => node.block({ height: 1n }))).toBeUndefined();
    server.closeAllConnections();
    server.close();
    await Promise.all(asked);
  });
});
