import type { BlockRecord } from '../../src/domain/blocks/block.js';
import { encodeHeader, hashHeader, hashSignedHeader } from '../../src/domain/blocks/block-encoding.js';
import { packBlocks } from '../../src/domain/blocks/pack-blocks.js';
import type { NewEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { startApi } from '../support/api-server.js';
import { appendLog } from '../support/append-log.js';
import { startTestDatabase } from '../support/database.js';
import { availabilityRow, insertRows, nodeRow } from '../support/read-model-rows.js';
import { makeBlock } from '../support/random-log.js';
import { appendTo, recordLog } from '../support/record-log.js';
import { loadRecordedBlocks } from '../support/recorded-blocks.js';
import { loadRecording } from '../support/recording.js';
import { SmallLog } from '../support/small-log.js';
import { useApi } from '../support/use-database.js';

/** The namespace as the node's settings name it, and as the node shows it. */
const HEADERS = 'lab-header';
const NAMESPACE_OF_HEADERS = '000000000000000000000000000000000000001628c730f46c460a762a';
const EVERY_MS = 700;
const LOOKS = 20;
const recording = loadRecording('aggregator');
const lists = recording.lines.get('GET /da/submissions') ?? [];
const blocks = recording.blocks;

interface List {
  readonly submissions: readonly unknown[];
  readonly total: number;
}

describe('a recorded node, queried as if it were there', () => {
  const api = useApi({ defaultNode: 'aggregator' });

  beforeAll(async () => {
    await appendLog(api.dataSource, recordLog({ nodes: ['aggregator'], every: EVERY_MS }));
  }, 300_000);

  const momentOf = (t: number): string => new Date(recording.startMs + t).toISOString();
  const get = (path: string): Promise<Response> => fetch(`${api.url}/nodes/aggregator${path}`);
  const post = (method: string, body: object | string, query = ''): Promise<Response> =>
    fetch(`${api.url}/nodes/aggregator/evnode.v1.StoreService/${method}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('lists at the moments of recorded polls what the node listed then, byte for byte', async () => {
    const count = Math.floor(recording.lengthMs / EVERY_MS);
    const answered = Array.from({ length: count }, (_, look) => look * EVERY_MS).flatMap((t) => {
      const answer = lists.findLast((line) => line.t <= t)?.answer;
      return answer ? [{ t, body: answer.body.toString() }] : [];
    });
    const looks = answered.filter((_, index) => index % Math.floor(answered.length / (2 * LOOKS)) === 0);
    let proven = 0;
    for (const { t, body } of looks) {
      const response = await get(`/da/submissions?at=${momentOf(t)}`);
      expect([t, await response.text()]).toEqual([t, body]);
      if (response.headers.get('x-hindsight-proven') === 'true') proven += 1;
    }
    // The log has no moment of its own for a poll that found nothing new: there the list is right and not proven.
    expect(proven).toBeGreaterThanOrEqual(LOOKS);
  }, 300_000);

  it('says that nothing is on record about the time before, and which node does not exist', async () => {
    const before = await get(`/da/submissions?at=${momentOf(-60_000)}`);
    expect([before.status, before.headers.get('x-hindsight-proven')]).toEqual([503, 'false']);
    expect((await fetch(`${api.url}/nodes/nobody/da/submissions`)).status).toBe(404);
    expect((await get('/da/submissions?at=yesterday')).status).toBe(400);
  });

  it('continues beyond what the node shows, page by page, without a row twice', async () => {
    const rows: unknown[] = [];
    let before: string | null = '';
    while (before !== null) {
      const response = await get(`/da/submissions?limit=150${before && `&before=${before}`}`);
      const page = (await response.json()) as List;
      expect(page.total).toBe(page.submissions.length);
      rows.push(...page.submissions);
      before = response.headers.get('x-hindsight-next-before');
    }
    const { nodes } = await api.read<{ nodes: { submissionCount: string }[] }>(
      '{ nodes { submissionCount } }',
    );
    expect(String(rows.length)).toBe(nodes[0]?.submissionCount);
    expect(rows.length).toBeGreaterThan(200);
    const shown = (await (await get('/da/submissions')).json()) as List;
    expect(rows.slice(0, shown.total)).toEqual(shown.submissions);
    const from = Date.parse((shown.submissions[4] as { timestamp: string }).timestamp);
    const since = (await (await get(`/da/submissions?from=${new Date(from).toISOString()}`)).json()) as List;
    const times = shown.submissions.map((row) => Date.parse((row as { timestamp: string }).timestamp));
    expect(since.total).toBe(times.filter((time) => time >= from).length);
  });

  it('computes from the rows what the node said about them', async () => {
    const stats = (await (await get('/da/stats')).json()) as Record<string, unknown>;
    const shown = (await (await get('/da/submissions')).json()) as List;
    expect(stats).toMatchObject({ total_submissions: shown.total, history: expect.any(Object) as unknown });
    const health = (await (await get('/da/health')).json()) as Record<string, unknown>;
    expect(health).toMatchObject({
      metrics: { total_submissions: shown.total },
      hindsight: expect.any(Object) as unknown,
    });
    const spec = (await (await get('/da/health?shape=spec')).json()) as { status: string };
    expect(['healthy', 'warning', 'critical', 'unknown']).toContain(spec.status);
  });

  const recordedBlock = (height: bigint): Block => {
    const lines = recording.lines.get(`/evnode.v1.StoreService/GetBlock ${height}`) ?? [];
    return JSON.parse(
      lines.findLast(({ answer }) => answer?.status === 200)?.answer?.body.toString() ?? '',
    ) as Block;
  };

  it('shows a block of a node that is gone, with its signature, and names what is not on record', async () => {
    const [height, expected] = blocks
      .slice(2, -10)
      .map(({ height }): [number, Block] => [Number(height), recordedBlock(height)])
      .find(([, { block }]) => block.data.txs !== undefined) as [number, Block];
    const missing = 'block.data.txs, block.data.metadata.lastDataHash';
    // Connect's JSON leaves out what is empty: there a block without its transactions would look like an empty block.
    const refused = await post('GetBlock', { height });
    expect([refused.status, refused.headers.get('x-hindsight-missing')]).toEqual([503, missing]);
    expect(await refused.json()).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('record.transactions: full') as unknown,
    });
    const response = await post('GetBlock', { height }, '?shape=spec');
    expect([response.status, response.headers.get('x-hindsight-missing')]).toEqual([200, missing]);
    const shown = (await response.json()) as SpecBlock;
    const { header } = expected.block;
    expect(toBase64(shown.block.header.signature)).toBe(header.signature);
    expect(toBase64(shown.block.header.header.data_hash)).toBe(header.header.dataHash);
    expect(shown.block.data).not.toHaveProperty('txs');
    expect(String(shown.header_da_height)).toBe(expected.headerDaHeight);
    const hash = recordedBlock(BigInt(height + 1)).block.header.header.lastHeaderHash;
    for (const each of [hash, Buffer.from(hash, 'base64').toString('hex')]) {
      expect(await (await post('GetBlock', { hash: each }, '?shape=spec')).json()).toEqual(shown);
    }
  });

  it('finds a block of a node that is gone by the hash of the signed header, as the node did', async () => {
    const { header, signature, ...signer } = loadRecordedBlocks('aggregator').at(-20)!;
    const signed = hashSignedHeader(encodeHeader(header), signature, signer);
    const hash = Buffer.from(signed, 'hex').toString('base64');
    const found = await post('GetBlock', { hash }, '?shape=spec');
    expect(found.status).toBe(200);
    expect(await found.json()).toEqual(
      await (await post('GetBlock', { height: String(header.height) }, '?shape=spec')).json(),
    );
    const seenAt = blocks.find(({ height }) => height === header.height)?.seenAt ?? 0;
    expect((await post('GetBlock', { hash }, `?at=${momentOf(seenAt - 10_000)}`)).status).toBe(500);
    // Its first half is the hash of a block on record.
    const other = Buffer.from(signed.slice(0, 32) + '00'.repeat(16), 'hex').toString('base64');
    expect((await post('GetBlock', { hash: other })).status).toBe(500);
  });

  it('knows at a moment only what had been seen by then', async () => {
    const newestAt = async (query: string): Promise<number> => {
      // Height 0 means the newest block for the real node alone.
      const answer = await post('GetState', {}, `?shape=spec${query}`);
      return ((await answer.json()) as { state: { last_block_height: number } }).state.last_block_height;
    };
    const height = await newestAt('');
    const seenAt = blocks.find((block) => block.height === BigInt(height))?.seenAt ?? 0;
    const before = `at=${momentOf(seenAt - 10_000)}`;
    expect((await post('GetBlock', { height }, `?${before}`)).status).toBe(500);
    const then = await newestAt(`&${before}`);
    expect(then).toBeLessThan(height);
    expect((await post('GetBlock', { height: then }, `?shape=spec&${before}`)).status).toBe(200);
    // The node was never asked for its state: the real node's form would show a state of zeros.
    expect((await post('GetState', {}, `?${before}`)).status).toBe(503);
  });

  it.each<[string, () => Promise<Response>, number]>([
    ['an unknown height', () => post('GetBlock', { height: 999_999 }), 500],
    ['an unknown hash', () => post('GetBlock', { hash: 'AAAA' }), 500],
    ['no identifier', () => post('GetBlock', {}), 400],
    ['a body that is no JSON', () => post('GetBlock', '{"height"'), 400],
    ['a height that is none', () => post('GetBlock', { height: 'x' }), 400],
    ['a method that there is not', () => post('GetNothing', {}), 404],
    ['a call by GET', () => get('/evnode.v1.StoreService/GetBlock'), 405],
    [
      'a body of another type',
      () =>
        fetch(`${api.url}/nodes/aggregator/node.v1.StoreService/GetBlock`, { method: 'POST', body: '{}' }),
      415,
    ],
    ['a blob without an id', () => get('/da/blob'), 400],
  ])('refuses %s as the node does', async (_, ask, status) => {
    const response = await ask();
    await response.body?.cancel();
    expect(response.status).toBe(status);
  });

  it('names the submission that carried a blob, though its content is gone with the node', async () => {
    const { submissions } = (await (await get('/da/submissions')).json()) as {
      submissions: { blob_ids?: string[]; blob_size: number; height: number; namespace: string }[];
    };
    const row = submissions.find(({ blob_ids }) => (blob_ids?.length ?? 0) > 1);
    const response = await get(`/da/blob?id=${row?.blob_ids?.[0]}`);
    expect([response.status, response.headers.get('x-hindsight-missing')]).toEqual([
      200,
      'size, content, content_preview',
    ]);
    expect(await response.json()).toMatchObject({ height: row?.height, submission: row });
    const single = submissions.find(({ blob_ids }) => blob_ids?.length === 1);
    const alone = await get(`/da/blob?id=${single?.blob_ids?.[0]}&namespace=`);
    expect(alone.headers.get('x-hindsight-missing')).toBe('content, content_preview');
    expect(await alone.json()).toMatchObject({ size: single?.blob_size, submission: single });
    const blob = `/da/blob?id=${row?.blob_ids?.[0]}&namespace=`;
    const other = await get(`${blob}0x${'00'.repeat(29)}`);
    expect([other.status, await other.text()]).toEqual([500, 'Failed to retrieve blob: blob: not found\n']);
    expect((await get(`${blob}0x${row?.namespace.toUpperCase()}`)).status).toBe(200);
    // The namespace as text means the namespace that nodes derive from it.
    const named = submissions.find(({ namespace }) => namespace === NAMESPACE_OF_HEADERS);
    const header = `/da/blob?id=${named?.blob_ids?.[0]}&namespace=`;
    expect((await get(header + HEADERS)).status).toBe(200);
    expect((await get(`${header}other`)).status).toBe(500);
    const unknown = `/da/blob?id=${'ab'.repeat(40)}&namespace=00&at=${momentOf(recording.lengthMs - 1)}`;
    expect((await get(unknown)).status).toBe(503);
  });

  it('is at the root for the default node, next to our own paths', async () => {
    expect(await (await fetch(`${api.url}/da/submissions`)).text()).toBe(
      await (await get('/da/submissions')).text(),
    );
    expect(await (await fetch(`${api.url}/health/live`)).json()).toEqual({ live: true });
    const block = await fetch(`${api.url}/node.v1.StoreService/GetBlock?shape=spec`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"height":1}',
    });
    expect(block.status).toBe(200);
  });
});

describe('a list that continues', () => {
  it('is answered with its newest row, even after an earlier answer', async () => {
    const database = await startTestDatabase();
    const api = await startApi(database.url);
    try {
      await insertRows(api.dataSource, 'node', [nodeRow(1, 'alpha')]);
      await insertRows(api.dataSource, 'availability_interval', [
        availabilityRow('2026-11-21T00:00:00Z', null, 'AVAILABLE'),
      ]);
      const store = new EventStore(api.dataSource);
      const log = new SmallLog();
      const shown: number[] = [];
      for (const da of [5, 6]) {
        log.rows('alpha', [{ da }]);
        const events = log.events
          .slice(-1)
          .map(({ type, body }) => ({ type, body, observedAt: SmallLog.START }) as NewEvent);
        const { version: expectedVersion } = await store.loadStream('alpha/submissions');
        await store.append({ stream: 'alpha/submissions', expectedVersion, events });
        for (let time = 0; time < 2; time += 1) {
          const list = (await (await fetch(`${api.url}/nodes/alpha/da/submissions`)).json()) as List;
          shown.push(list.submissions.length);
        }
      }
      expect(shown).toEqual([1, 1, 2, 2]);
    } finally {
      await api.stop();
      await database.stop();
    }
  });
});

interface Block {
  readonly block: {
    readonly header: {
      readonly header: {
        readonly height: string;
        readonly lastHeaderHash: string;
        readonly dataHash: string;
      };
      readonly signature: string;
    };
    readonly data: { readonly txs?: readonly string[] };
  };
  readonly headerDaHeight?: string;
}

/** The same in the shape of the specification. */
interface SpecBlock {
  readonly block: {
    readonly header: {
      readonly header: { readonly height: number; readonly data_hash: string };
      readonly signature: string;
    };
    readonly data: object;
  };
  readonly header_da_height: number;
}

const toBase64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

describe('a node whose chain has started again', () => {
  const api = useApi();
  const AGAIN_MS = 60_000;

  beforeAll(async () => {
    const log = new SmallLog().register('alpha').describe('alpha', 'one');
    log.blocks('alpha', 'one', [{ height: 1, headerDa: 7 }, { height: 2 }, { height: 3 }]);
    const untold = { headTimeNs: null, lastSubmittedHeader: null, lastSubmittedData: null, oldest: null };
    const ends = { headerStoreHead: null, firstPending: null, clockOffsetMs: null };
    const progress = { head: '3', daIncluded: '1', ...untold, ...ends };
    const told = { type: 'NodeProgressObserved', observedAt: SmallLog.START, body: progress } as const;
    appendTo(log.events, 'alpha/blocks', [told]);
    log.now = 20_000;
    log.include('alpha', 'one', [{ height: 2, headerDa: 8, dataDa: 8 }]);
    log.now = AGAIN_MS;
    log.describe('alpha', 'two').blocks('alpha', 'two', [{ height: 1, headerDa: 70 }, { height: 2 }]);
    await appendLog(api.dataSource, log.events);
  });

  const ask = async (
    body: object,
    after?: number,
    method = 'GetBlock',
  ): Promise<{
    status: number;
    daHeight: unknown;
    height: unknown;
    proven: string | null;
    asOf: string | null;
  }> => {
    const at = after === undefined ? '' : `?at=${new Date(SmallLog.START + after).toISOString()}`;
    const response = await fetch(`${api.url}/nodes/alpha/evnode.v1.StoreService/${method}${at}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { headerDaHeight?: string; block?: Block['block'] };
    return {
      status: response.status,
      daHeight: answer.headerDaHeight,
      height: answer.block?.header.header.height,
      proven: response.headers.get('x-hindsight-proven'),
      asOf: response.headers.get('x-hindsight-as-of'),
    };
  };

  it('shows the blocks that it showed at a moment, and no others', async () => {
    expect(await ask({ height: 1 }, 30_000)).toMatchObject({ status: 200, height: '1', daHeight: '7' });
    expect(await ask({ height: 3 }, 30_000)).toMatchObject({ status: 200, height: '3' });
    expect(await ask({ height: 0 }, 30_000)).toMatchObject({ status: 200, height: '3' });
    expect(await ask({ height: 1 }, AGAIN_MS)).toMatchObject({ status: 200, daHeight: '70' });
    expect(await ask({ height: 3 }, AGAIN_MS)).toMatchObject({ status: 500 });
    expect(await ask({ height: 0 }, AGAIN_MS)).toMatchObject({ status: 200, height: '2' });
    expect(await ask({ height: 1 })).toMatchObject({ status: 200, daHeight: '70' });
    // The chain that the node belongs to now has no block so high.
    expect(await ask({ height: 3 })).toMatchObject({ status: 500 });
    expect(await ask({ height: '18446744073709551615' })).toMatchObject({ status: 500 });
  });

  it('reports since when a block is as shown, and that the newest block may have been another one', async () => {
    const asOf = (after: number) => new Date(SmallLog.START + after).toISOString();
    const before = await ask({ height: 2 }, 10_000);
    expect([before.daHeight, before.proven, Date.parse(before.asOf ?? '')]).toEqual([
      undefined,
      'false',
      Date.parse(asOf(0)),
    ]);
    const after = await ask({ height: 2 }, 30_000);
    expect([after.daHeight, Date.parse(after.asOf ?? '')]).toEqual(['8', Date.parse(asOf(20_000))]);
    expect(await ask({ height: 0 }, 30_000)).toMatchObject({ proven: 'false' });
  });

  it('reports as included what it has shown as included since it said so', async () => {
    const askIncluded = async (after: number): Promise<readonly number[]> => {
      const at = new Date(SmallLog.START + after).toISOString();
      const response = await fetch(`${api.url}/nodes/alpha/evnode.v1.StoreService/GetMetadata?at=${at}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"key":"d"}',
      });
      const { value } = (await response.json()) as { value: string };
      const asOf = Date.parse(response.headers.get('x-hindsight-as-of') ?? '') - SmallLog.START;
      return [Buffer.from(value, 'base64').readUInt8(0), asOf];
    };
    expect(await askIncluded(10_000)).toEqual([1, 0]);
    expect(await askIncluded(30_000)).toEqual([2, 20_000]);
  });

  it('reports DA heights as proven if nothing later can have changed them, and no others', async () => {
    const askDaHeight = async (after?: number, key = 'rhb/1/h') => {
      const { status, proven } = await ask({ key }, after, 'GetMetadata');
      return [status, proven];
    };
    // At that moment the node showed blocks of this chain.
    expect(await askDaHeight(0)).toEqual([200, 'true']);
    // The chain had begun again before the next poll, at an unknown moment.
    expect(await askDaHeight(30_000)).toEqual([200, 'false']);
    expect(await askDaHeight(AGAIN_MS)).toEqual([200, 'true']);
    // The node has not been polled since.
    expect(await askDaHeight(2 * AGAIN_MS)).toEqual([200, 'false']);
    expect(await askDaHeight()).toEqual([200, 'true']);
    expect(await askDaHeight(10_000, 'rhb/2/h')).toEqual([404, 'false']);
  });
});

describe('a node whose chain was forked', () => {
  const api = useApi();
  const FORK_MS = 60_000;

  /** Blocks that follow each other, after a given one; `ours` distinguishes histories. */
  const follow = (parent: BlockRecord | undefined, count: number, ours: string): BlockRecord[] => {
    const blocks: BlockRecord[] = [];
    for (let last = parent; blocks.length < count; last = blocks.at(-1)) {
      const height = (last?.header.height ?? 0n) + 1n;
      const block = makeBlock({ height, timeMs: SmallLog.START + Number(height), dataBytes: 0 });
      const header = { ...block.header, lastHeaderHash: last?.hash ?? '', appHash: ours };
      blocks.push({ ...block, header, hash: hashHeader(encodeHeader(header)) });
    }
    return blocks;
  };
  const first = follow(undefined, 4, 'aa');
  const second = follow(first[1], 2, 'bb');

  beforeAll(async () => {
    const log = new SmallLog().register('alpha').describe('alpha', 'one');
    for (const [lineage, blocks, at] of [
      [1, first, 0],
      [2, second, FORK_MS],
    ] as const) {
      const body = { chain: 'one', lineage, ...packBlocks(blocks) };
      const event = { type: 'BlocksObserved', observedAt: SmallLog.START + at, body } as const;
      appendTo(log.events, 'alpha/blocks', [event]);
    }
    await appendLog(api.dataSource, log.events);
  });

  it('has the blocks below the fork, and above the fork the blocks that it shows there', async () => {
    const ask = async (wanted: object, after?: number): Promise<string | number> => {
      const at = after === undefined ? '' : `?at=${new Date(SmallLog.START + after).toISOString()}`;
      const response = await fetch(`${api.url}/nodes/alpha/evnode.v1.StoreService/GetBlock${at}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(wanted),
      });
      if (response.status !== 200) return response.status;
      const { block } = (await response.json()) as { block: { header: { header: { appHash: string } } } };
      return Buffer.from(block.header.header.appHash, 'base64').toString('hex');
    };
    const hashOf = (block: BlockRecord | undefined) => ({ hash: block?.hash });
    for (const after of [undefined, FORK_MS, 2 * FORK_MS]) {
      expect(await Promise.all([1, 2, 3, 4].map((height) => ask({ height }, after)))).toEqual([
        'aa',
        'aa',
        'bb',
        'bb',
      ]);
      expect(await ask(hashOf(first[0]), after)).toBe('aa');
      expect(await ask(hashOf(first[2]), after)).toBe(500);
      expect(await ask(hashOf(second[0]), after)).toBe('bb');
    }
    expect(await Promise.all([1, 4].map((height) => ask({ height }, 10_000)))).toEqual(['aa', 'aa']);
    expect(await ask(hashOf(second[0]), 10_000)).toBe(500);
  });
});
