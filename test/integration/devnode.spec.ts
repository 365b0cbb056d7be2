import { createHash, createPublicKey, verify } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DevnodeOptions } from '../../src/devnode/devnode-options.js';
import { type Devnode, startDevnode } from '../../src/devnode/devnode.js';
import {
  dataBlobBytes,
  encodeData,
  encodeHeader,
  headerBlobBytes,
} from '../../src/domain/blocks/block-encoding.js';
import { ManualClock } from '../support/manual-clock.js';

interface Row {
  id: string;
  height: number;
  status_code: string;
  message?: string;
  blob_size: number;
  num_blobs: number;
  blob_ids?: string[];
  namespace: string;
  timestamp: string;
}

describe('devnode', () => {
  let clock: ManualClock;
  const started: Devnode[] = [];

  beforeEach(() => {
    clock = new ManualClock();
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((node) => node.stop()));
  });

  async function start(options: Partial<DevnodeOptions> = {}): Promise<Devnode> {
    const node = await startDevnode({
      chainId: 'test-1',
      clock,
      blockTimeMs: 500,
      daBlockTimeMs: 1_000,
      ...options,
    });
    started.push(node);
    return node;
  }

  async function getRows(node: Devnode): Promise<Row[]> {
    const response = await fetch(`${node.url}/da/submissions`);
    return ((await response.json()) as { submissions: Row[] }).submissions;
  }

  function post(node: Devnode, path: string, body: unknown): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(node.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

  it('makes blocks whose links, hashes, signatures and addresses hold', async () => {
    const { chain } = await start({ blockTimeMs: 0 }).then((node) => (node.produce(40), node));
    for (let height = 1n; height <= 40n; height += 1n) {
      const block = chain.find(height)!;
      const before = chain.find(height - 1n);
      expect(block.header.lastHeaderHash).toBe(before ? sha256(encodeHeader(before.header)) : '');
      expect(block.metadata.lastDataHash).toBe(
        before ? sha256(Buffer.concat([Buffer.of(0), encodeData(before)])) : '',
      );
      const transactions = encodeData({ metadata: null, transactions: block.transactions });
      expect(block.header.dataHash).toBe(sha256(Buffer.concat([Buffer.of(0), transactions])));
      const key = Buffer.from(block.signerPubKey, 'hex');
      expect(key.subarray(0, 4).toString('hex')).toBe('08011220');
      expect(block.header.proposerAddress).toBe(sha256(key.subarray(4)));
      const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key.subarray(4)]);
      const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
      expect(verify(null, encodeHeader(block.header), publicKey, Buffer.from(block.signature, 'hex'))).toBe(
        true,
      );
      expect(block.header.timeNs > (before?.header.timeNs ?? 0n)).toBe(true);
    }
    expect(new Set(chain.find(40n)!.transactions.map((each) => Buffer.from(each).toString('hex'))).size).toBe(
      chain.find(40n)!.transactions.length,
    );
  });

  it('makes the same chain from the same seed and the same clock', async () => {
    const [one, other, third] = await Promise.all([start(), start(), start({ seed: 'another' })]);
    await clock.advance(5_000);
    expect(one.chain.head!.hash).toBe(other.chain.head!.hash);
    expect(one.chain.head!.hash).not.toBe(third.chain.head!.hash);
  });

  it('records one row per attempt with the exact size of its blobs and the DA height in their ids', async () => {
    const node = await start();
    await clock.advance(20_000);
    const rows = await getRows(node);
    expect(rows.length).toBeGreaterThan(20);
    for (const kind of ['header', 'data'] as const) {
      const namespace = rows.filter(
        (row) => node.ring.findNamespace(row.blob_ids?.[0] ?? '') === row.namespace,
      );
      expect(namespace).toHaveLength(rows.length);
      const key = kind === 'header' ? 'headerDaHeight' : 'dataDaHeight';
      const heights = new Set<bigint>();
      const included = node.chain.getMetadata('d')!;
      for (let height = 1n; height <= included; height += 1n) {
        heights.add(node.chain.find(height)![key]!);
      }
      for (const daHeight of heights) {
        const blocks = Array.from({ length: Number(included) }, (_, index) =>
          node.chain.find(BigInt(index + 1))!,
        )
          .filter((block) => block[key] === daHeight)
          .filter((block) => kind === 'header' || block.transactions.length > 0);
        const sizes = blocks.map((block) =>
          kind === 'header'
            ? headerBlobBytes(encodeHeader(block.header).length, block.signature, block)
            : (dataBlobBytes(block, block) ?? 0),
        );
        const size = sizes.reduce((sum, each) => sum + each, 0);
        if (size > 0) {
          const row = rows.find((each) => BigInt(each.height) === daHeight && each.blob_size === size);
          expect(row).toMatchObject({ status_code: 'Success', num_blobs: blocks.length });
        }
      }
    }
    for (const row of rows) {
      const height = Buffer.alloc(8);
      height.writeBigUInt64LE(BigInt(row.height));
      expect(row.blob_ids).toHaveLength(row.num_blobs);
      expect(row.blob_ids!.every((id) => id.length === 80 && id.startsWith(height.toString('hex')))).toBe(
        true,
      );
      expect(row.id).toBe(`submission_${row.height}_${Math.floor(Date.parse(row.timestamp) / 1000)}`);
    }
  });

  it('keeps the newest hundred rows, newest first', async () => {
    const node = await start({ blockTimeMs: 0 });
    node.burst(150);
    const rows = await getRows(node);
    expect(rows).toHaveLength(100);
    expect(rows[0]!.height).toBeGreaterThan(rows[99]!.height);
    const small = await start({ blockTimeMs: 0, ringSize: 50 });
    small.burst(150);
    expect(await getRows(small)).toHaveLength(50);
  });

  it.each([
    ['down', 'Error', 'failed to submit blobs: handler: websocket connection closed'],
    ['mempool', 'Already In Mempool', 'failed to submit blobs: tx already in mempool'],
    [
      'sequence',
      'Incorrect Account Sequence',
      expect.stringContaining('incorrect account sequence') as string,
    ],
    ['funds', 'Error', 'failed to submit blobs: codespace sdk, Code 5: insufficient funds'],
    ['refused', 'Error', 'failed to submit blobs: dial tcp 127.0.0.1:26658: connect: connection refused'],
    ['too-big', 'Too Big', 'failed to submit blobs: blob: over size limit'],
  ])('shows a DA layer in the state %s as failures, and catches up after it', async (da, status, message) => {
    const node = await start();
    await clock.advance(3_000);
    expect((await post(node, '/dev/fault', { fault: da })).status).toBe(200);
    await clock.advance(10_000);
    const [newest] = await getRows(node);
    expect(newest).toMatchObject({
      status_code: status,
      message,
      height: 0,
      num_blobs: expect.any(Number) as number,
    });
    expect(newest).not.toHaveProperty('blob_ids');
    const stuckAt = node.chain.getMetadata('last-submitted-header-height')!;
    await post(node, '/dev/fault', { end: da });
    await clock.advance(5_000);
    expect((await getRows(node))[0]!.status_code).toBe('Success');
    expect(node.chain.getMetadata('last-submitted-header-height')! > stuckAt + 15n).toBe(true);
  });

  it('writes no row while the DA layer hangs, and one row when its own patience ends', async () => {
    const node = await start({ daTimeoutMs: 28_000 });
    await clock.advance(3_000);
    node.faults.begin('hang');
    await clock.advance(2_000);
    const { length } = await getRows(node);
    await clock.advance(20_000);
    expect(await getRows(node)).toHaveLength(length);
    await clock.advance(10_000);
    expect((await getRows(node))[0]).toMatchObject({ status_code: 'Context Deadline' });
  });

  it('loses its ring in a restart and keeps its chain', async () => {
    const node = await start();
    await clock.advance(10_000);
    const head = node.chain.head!;
    const daHeight = (await getRows(node))[0]!.height;
    const { url } = node;
    await node.stop();
    await expect(fetch(`${url}/health/live`)).rejects.toThrow();
    await node.start();
    expect(node.url).toBe(url);
    expect(await getRows(node)).toEqual([]);
    await clock.advance(3_000);
    expect(node.chain.find(head.header.height + 1n)!.header.lastHeaderHash).toBe(head.hash);
    expect((await getRows(node)).at(-1)!.height).toBeGreaterThan(daHeight);
  });

  it('continues the chain in its directory, even if a kill cut off the last line', async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'hindsight-devnode-'));
    const first = await start({ dataDirectory });
    await clock.advance(10_000);
    const { head } = first.chain;
    const included = first.chain.getMetadata('d');
    await first.kill();
    appendFileSync(join(dataDirectory, 'chain.ndjson'), '{"block":{"chainId":"te');
    const second = await start({ dataDirectory, blockTimeMs: 0 });
    expect(second.chain.head).toEqual(head);
    expect(second.chain.getMetadata('d')).toBe(included);
    expect(await getRows(second)).toEqual([]);
    second.produce(1);
    await clock.advance(3_000);
    expect(second.chain.getMetadata('d')).toBe(second.chain.head!.header.height);
    await second.stop();
    await expect(start({ dataDirectory, chainId: 'other' })).rejects.toThrow(/contains the chain test-1/);
    rmSync(dataDirectory, { recursive: true });
  });

  it('stops including after a kill if configured, and thaws after an orderly stop', async () => {
    const node = await start({ freezeAfterKill: true });
    await clock.advance(10_000);
    await node.kill();
    await node.start();
    const frozenAt = node.chain.getMetadata('d');
    await clock.advance(10_000);
    expect(node.chain.getMetadata('d')).toBe(frozenAt);
    expect((await getRows(node))[0]!.status_code).toBe('Success');
    expect(await (await fetch(`${node.url}/health/ready`)).text()).toBe('READY\n');
    await node.stop();
    await node.start();
    await clock.advance(1_000);
    expect(node.chain.getMetadata('d')! > frozenAt!).toBe(true);
  });

  it('restarts by a fault while callers come back to the same address', async () => {
    const node = await start({ blockTimeMs: 0 });
    const answer = await post(node, '/dev/fault', { burst: 5 });
    expect(await answer.json()).toEqual({ faults: [], head: '5', submissions: expect.any(Number) as number });
    expect((await post(node, '/dev/fault', { fault: 'restart', forMs: 500 })).status).toBe(200);
    while (node.ring.list().length > 0 || !node.isUp) {
      await clock.advance(1);
    }
    expect((await post(node, '/dev/fault', { burst: 5 })).status).toBe(200);
  });

  it('stays down when it is stopped while a fault keeps it down', async () => {
    const node = await start();
    node.faults.begin('kill', 60_000);
    await clock.advance(1_000);
    expect(node.isUp).toBe(false);
    await node.stop();
    await clock.advance(120_000);
    await expect(fetch(`${node.url}/health/live`)).rejects.toThrow();
  });

  it.each([
    ['disabled', 503, 'DA visualization not available\n'],
    ['absent', 404, '404 page not found\n'],
  ] as const)('answers like a node whose DA monitoring is %s', async (daMonitoring, status, text) => {
    const node = await start({ daMonitoring });
    for (const path of ['/da', '/da/submissions', '/da/stats', '/da/health', '/da/blob?id=00']) {
      const response = await fetch(node.url + path);
      expect([response.status, await response.text()]).toEqual([status, text]);
    }
    expect((await fetch(`${node.url}/health/live`)).status).toBe(200);
  });

  it('shows only the newest blocks when pruned', async () => {
    const node = await start({ retainBlocks: 20 });
    await clock.advance(30_000);
    const { oldest, head } = node.chain;
    expect(head!.header.height - oldest!.header.height).toBe(19n);
    const path = '/evnode.v1.StoreService/GetBlock';
    expect((await post(node, path, { height: String(oldest!.header.height) })).status).toBe(200);
    expect((await post(node, path, { height: String(oldest!.header.height - 1n) })).status).toBe(500);
    expect(node.chain.getMetadata('d')! > 40n).toBe(true);
  });

  it('finds a block by the hash of its signed header, as the real node does', async () => {
    const node = await start({ blockTimeMs: 0 });
    const [block] = node.produce(1);
    const path = '/evnode.v1.StoreService/GetBlock';
    const ask = (hash: string) => post(node, path, { hash: Buffer.from(hash, 'hex').toString('base64') });
    expect((await ask(block!.signedHash)).status).toBe(200);
    expect((await ask(block!.hash)).status).toBe(500);
  });

  it('returns the shape of the specification if configured', async () => {
    const node = await start({ shape: 'specification', blockTimeMs: 0 });
    const [block] = node.produce(1);
    const response = await post(node, '/node.v1.StoreService/GetBlock', { height: 1 });
    const text = await response.text();
    expect(text).toContain(`"time":${block!.header.timeNs},`);
    expect(JSON.parse(text)).toMatchObject({
      block: {
        header: {
          header: { version: { block: 0, app: 0 }, height: 1, last_header_hash: '', chain_id: 'test-1' },
          signer: { pub_key: block!.signerPubKey },
        },
        data: { metadata: { height: 1, last_data_hash: '' } },
      },
      header_da_height: 0,
      data_da_height: 0,
    });
    expect((await post(node, '/node.v1.StoreService/GetState', {})).status).toBe(404);
    expect(await (await fetch(`${node.statusUrl}/status`)).json()).toMatchObject({
      sync_info: { catching_up: false },
    });
  });

  it('reports by the status query whether it is behind, and by ready when no block comes any more', async () => {
    const node = await start();
    await clock.advance(2_000);
    const status = async () => (await fetch(`${node.statusUrl}/status`)).json();
    expect(await status()).toMatchObject({ result: { sync_info: { catching_up: false } } });
    node.faults.begin('halted');
    await clock.advance(12_000);
    expect(await status()).toMatchObject({ result: { sync_info: { catching_up: true } } });
    expect((await fetch(`${node.url}/health/ready`)).status).toBe(503);
  });

  it('follows another devnode, blocks and inclusions, and says that it submits nothing', async () => {
    const leader = await start();
    await clock.advance(10_000);
    const follower = await start({ follow: leader.url });
    while (follower.chain.getMetadata('d') !== leader.chain.getMetadata('d')) {
      await clock.advance(50);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { height } = follower.chain.find(follower.chain.getMetadata('d')!)!.header;
    expect(follower.chain.find(height)).toEqual(leader.chain.find(height));
    expect(await (await fetch(`${follower.url}/da/submissions`)).json()).toMatchObject({
      is_aggregator: false,
    });
    expect(await (await fetch(`${follower.url}/da/health`)).json()).toMatchObject({ status: 'n/a' });
  });

  it('repeats a scenario of outages over and over', async () => {
    const scenario = { steps: [{ fault: 'down', atMs: 5_000, forMs: 5_000 }], repeatMs: 10_000 } as const;
    const node = await start({ scenario });
    const modes: string[] = [];
    for (let step = 0; step < 4; step += 1) {
      await clock.advance(step === 0 ? 2_500 : 5_000);
      modes.push(node.da.mode);
    }
    expect(modes).toEqual(['up', 'down', 'up', 'down']);
  });
});
