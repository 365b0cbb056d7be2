import type { HttpResult } from '../platform/http-messages.js';
import { SMALL } from './limits.js';
import { NodeServer } from './node-server.js';

describe('a server that asks for fewer requests', () => {
  const setUp = (retryAfterMs?: number) => {
    let now = 0;
    let asked = 0;
    const answers: number[] = [];
    const http = {
      request: (): Promise<HttpResult> => {
        asked += 1;
        return Promise.resolve({
          kind: 'response',
          status: answers.shift() ?? 200,
          contentType: '',
          body: Buffer.alloc(0),
          truncated: false,
          latencyMs: 1,
          nodeClock: 1_000,
          route: { connection: null, isProxied: false, isAged: false },
          ...(retryAfterMs !== undefined && { retryAfterMs }),
        });
      },
    };
    const server = new NodeServer(http as never, { monotonic: () => now }, 'http://node:1');
    const ask = async (at: number): Promise<unknown> => {
      now = at;
      const result = await server.get('/health/live', SMALL);
      return [result.kind === 'response' && result.status, asked];
    };
    return { answers, server, ask };
  };

  it.each([
    ['as long as it says', 20_000, 20_000],
    ['five seconds where it does not say', undefined, 5_000],
    ['five minutes at most', 3_600_000, 300_000],
  ])('is left alone %s', async (_, retryAfterMs, waitMs) => {
    const { answers, ask } = setUp(retryAfterMs);
    answers.push(429);
    expect(await ask(0)).toEqual([429, 1]);
    expect(await ask(waitMs - 1)).toEqual([429, 1]);
    expect(await ask(waitMs)).toEqual([200, 2]);
  });

  it('records its clock once', async () => {
    const { answers, server } = setUp();
    answers.push(429);
    expect((await server.get('/', SMALL)).nodeClock).toBe(1_000);
    expect((await server.get('/', SMALL)).nodeClock).toBeUndefined();
  });

  it('is asked again and again while it answers otherwise', async () => {
    const { answers, ask } = setUp(20_000);
    answers.push(503, 401);
    expect(await ask(0)).toEqual([503, 1]);
    expect(await ask(0)).toEqual([401, 2]);
    expect(await ask(0)).toEqual([200, 3]);
  });
});
