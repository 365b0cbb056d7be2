import { loadRecording, loadTruth } from '../support/recording.js';
import { startReplayNode, type ReplayNode } from '../support/replay-node.js';

const GET_BLOCK = '/evnode.v1.StoreService/GetBlock';

describe('replay of a recorded node', () => {
  let node: ReplayNode;
  let elapsed = 0;

  beforeAll(async () => {
    node = await startReplayNode({
      file: 'aggregator',
      now: () => elapsed,
      cut: [{ from: 50_000, to: 51_000 }],
    });
  });
  afterAll(() => node.close());

  function post(path: string, body: unknown): Promise<Response> {
    return fetch(node.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  it('answers with the last line at or before its clock and the date of the recorded clock', async () => {
    elapsed = 30_000;
    const response = await fetch(`${node.url}/da/submissions`);
    expect(response.headers.get('date')).toBe(new Date(node.startMs + 30_000).toUTCString());
    const { submissions } = (await response.json()) as { submissions: unknown[] };
    const truth = loadTruth().map(({ row }) => row);
    // The recorder polled every 100 ms, so the newest rows of the truth may not have been seen yet.
    expect(submissions).toHaveLength(46);
    expect(submissions).toEqual(truth.slice(0, submissions.length).reverse());
  });

  it.each([1, 45_000, 200_000, 239_000, 260_000, 500_000])(
    'gives exactly the recorded list at %i ms',
    async (t) => {
      elapsed = t;
      const recorded = loadRecording('aggregator')
        .lines.get('GET /da/submissions')
        ?.findLast((line) => line.t <= t)
        ?.answer?.body.toString();
      const answer = fetch(`${node.url}/da/submissions`).then((response) => response.text());
      await (recorded === undefined
        ? expect(answer).rejects.toThrow()
        : expect(answer).resolves.toBe(recorded));
    },
  );

  it('drops every connection while the node was down and while the recording is cut', async () => {
    for (const t of [245_000, 350_000, 50_500]) {
      elapsed = t;
      await expect(fetch(`${node.url}/health/live`)).rejects.toThrow();
      await expect(post(GET_BLOCK, { height: '5' })).rejects.toThrow();
      await expect(fetch(`${node.url}/nothing`)).rejects.toThrow();
    }
  });

  it('accepts a height as a string or a number, and 0 for the newest block at that moment', async () => {
    elapsed = 20_000;
    const five = await (await post(GET_BLOCK, '{"height":5}')).text();
    expect(await (await post(GET_BLOCK, '{ "height": "5" }')).text()).toBe(five);
    const newest = (await (await post(GET_BLOCK, { height: '0' })).json()) as {
      block: { header: { header: { height: string } } };
    };
    const { height } = newest.block.header.header;
    expect((await post(GET_BLOCK, { height })).status).toBe(200);
    const next = await post(GET_BLOCK, { height: String(Number(height) + 1) });
    expect(next.status).toBe(500);
    expect(await next.json()).toEqual({
      code: 'internal',
      message: 'failed to retrieve block data: load block header: datastore: key not found',
    });
  });

  it('still returns a block after the restart in which the recorder could not request it', async () => {
    elapsed = 450_000;
    expect((await post(GET_BLOCK, { height: '500' })).status).toBe(200);
  });

  it('answers what was not recorded in the form of the real node', async () => {
    elapsed = 87_900;
    const missing = await post('/evnode.v1.StoreService/GetMetadata', { key: 'other' });
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ code: 'not_found' });
    expect((await post('/node.v1.StoreService/GetBlock', { height: '1' })).status).toBe(404);
    expect((await fetch(node.url + GET_BLOCK)).status).toBe(405);
    expect((await fetch(node.url + GET_BLOCK, { method: 'POST', body: '{}' })).status).toBe(415);
    expect((await post('/evnode.v1.ConfigService/GetNamespace', {})).status).toBe(200);
    const info = (await (await post('/evnode.v1.StoreService/GetP2PStoreInfo', {})).json()) as object;
    // The same hashes that the recorded node itself gave for these heights.
    expect(info).toMatchObject({
      stores: [
        {
          label: 'Header Store',
          height: '174',
          head: { hash: '4WKLQ7Nuju9UzaMahGw8QIrxJgaTh6q3JTJ9lt2TbHU=' },
        },
        { label: 'Data Store', tail: { hash: 'PFr36xQ123+KHDdKymuQZmF7e6fJ0QGvNu2nkBPKYm4=' } },
      ],
    });
  });

  it('runs faster than the wall clock if configured, and stops at speed 0', async () => {
    const still = await startReplayNode({ file: 'follower', speed: 0 });
    still.setTime(5_000);
    expect(still.elapsed()).toBe(5_000);
    const response = await fetch(`${still.url}/da/submissions`);
    expect(await response.json()).toMatchObject({ is_aggregator: false, total: 0 });
    await still.close();
    const fast = await startReplayNode({ file: 'follower', speed: 1e9 });
    await fetch(`${fast.url}/health/live`);
    expect(fast.elapsed()).toBeGreaterThan(fast.lengthMs);
    await fast.close();
  });
});
