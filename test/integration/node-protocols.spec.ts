import { connect } from 'node:http2';
import { create, toJson } from '@bufbuild/protobuf';
import { Code, type ConnectError } from '@connectrpc/connect';
import { packBlocks } from '../../src/domain/blocks/pack-blocks.js';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { METHODS } from '../../src/node-service/messages.js';
import { toBlockMessage } from '../../src/node-service/block-message.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { appendLog } from '../support/append-log.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { callBy, transportsTo } from '../support/node-clients.js';
import { makeBlock } from '../support/random-log.js';
import { appendTo } from '../support/record-log.js';
import { SmallLog } from '../support/small-log.js';

const NAMES = [...transportsTo('http://127.0.0.1').keys()];
const BLOCK = METHODS.get('StoreService/GetBlock')!.output;

function by(url: string, name: string) {
  return transportsTo(url).get(name)!;
}

describe('a devnode, called by real clients', () => {
  const clock = new ManualClock();
  let node: Devnode;

  beforeAll(async () => {
    node = await startDevnode({ chainId: 'spoken-1', clock, blockTimeMs: 500, daBlockTimeMs: 1_000 });
    await clock.advance(20_000);
  });
  afterAll(() => node.stop());

  it.each(NAMES)('answers every call by %s', async (name) => {
    const transport = by(node.url, name);
    const block = node.chain.find(7n)!;
    const { message } = await callBy(transport, 'StoreService/GetBlock', {
      identifier: { case: 'height', value: 7n },
    });
    const expected = create(BLOCK, toBlockMessage(block) as Record<string, unknown>);
    expect(toJson(BLOCK, message)).toEqual(toJson(BLOCK, expected));
    const hash = Buffer.from(block.signedHash, 'hex');
    const found = await callBy(transport, 'StoreService/GetBlock', {
      identifier: { case: 'hash', value: hash },
    });
    expect(found.message).toEqual(message);
    const { message: state } = await callBy(transport, 'StoreService/GetState');
    expect(state).toMatchObject({
      state: {
        version: { block: 0n, app: 0n },
        chainId: 'spoken-1',
        initialHeight: 1n,
        lastBlockHeight: node.chain.head!.header.height,
        lastBlockTime: { seconds: node.chain.head!.header.timeNs / 1_000_000_000n },
      },
    });
    expect((await callBy(transport, 'StoreService/GetGenesisDaHeight')).message).toMatchObject({
      height: node.chain.getMetadata('gdh'),
    });
    for (const call of METHODS.keys()) {
      if (call === 'StoreService/GetNamespace') continue;
      const asked =
        call === 'StoreService/GetMetadata' ? { key: 'd' } : { identifier: { case: 'height', value: 1n } };
      await expect(callBy(transport, call, asked)).resolves.toBeDefined();
    }
  });

  it.each(NAMES)('refuses by %s', async (name) => {
    const transport = by(node.url, name);
    const asking = callBy(transport, 'StoreService/GetMetadata', { key: 'no-such-key' });
    await expect(asking).rejects.toMatchObject({
      code: Code.NotFound,
      rawMessage: "failed to get metadata for key 'no-such-key': datastore: key not found",
    });
    await expect(
      callBy(transport, 'StoreService/GetBlock', { identifier: { case: 'height', value: 99_999n } }),
    ).rejects.toMatchObject({ code: Code.Internal });
    await expect(callBy(transport, 'StoreService/GetBlock')).rejects.toMatchObject({
      code: Code.InvalidArgument,
    });
  });

  it('answers everything else over HTTP/2, too', async () => {
    const session = connect(node.url);
    try {
      const stream = session.request({ ':path': '/health/live' });
      const [headers, body] = await Promise.all([
        new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve)),
        new Response(stream as never).text(),
      ]);
      expect(headers[':status']).toBe(200);
      expect(body).toBe('OK\n');
    } finally {
      session.destroy();
    }
  });
});

describe('Hindsight as the node, called by real clients', () => {
  let database: TestDatabase;
  let api: ApiServer;
  const known = [1, 2, 3].map((height) =>
    makeBlock({ height: BigInt(height), timeMs: SmallLog.START + height, dataBytes: height === 3 ? 331 : 0 }),
  );

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url, { keys: ['secret'], rateLimit: 1_000 });
    const log = new SmallLog().register('alpha').describe('alpha', 'one');
    const body = { chain: 'one', lineage: 1, head: '3', ...packBlocks(known) };
    appendTo(log.events, 'alpha/blocks', [{ type: 'BlocksObserved', observedAt: SmallLog.START, body }]);
    await appendLog(api.dataSource, log.events);
  });
  afterAll(async () => {
    await api.stop();
    await database.stop();
  });

  const KEY = { authorization: 'Bearer secret' };

  it.each(NAMES)('answers from the record by %s', async (name) => {
    const transport = by(`${api.url}/nodes/alpha`, name);
    const { message, header } = await callBy(
      transport,
      'StoreService/GetBlock',
      { identifier: { case: 'height', value: 2n } },
      KEY,
    );
    const { header: shown } = known[1]!;
    expect(message).toMatchObject({
      block: { header: { header: { height: 2n, time: shown.timeNs, chainId: shown.chainId } } },
    });
    expect(header.get('x-hindsight-proven')).toBe('false');
    expect(header.get('x-hindsight-missing')).toBe('block.data.metadata.lastDataHash');
  });

  it.each(NAMES)('refuses by %s as the node would', async (name) => {
    const transport = by(`${api.url}/nodes/alpha`, name);
    const ask = (value: bigint) =>
      callBy(transport, 'StoreService/GetBlock', { identifier: { case: 'height', value } }, KEY);
    await expect(ask(77n)).rejects.toMatchObject({
      code: Code.Internal,
      rawMessage: 'failed to retrieve block data: load block header: datastore: key not found',
    });
    await expect(callBy(transport, 'P2PService/GetPeerInfo', {}, KEY)).rejects.toMatchObject({
      code: Code.Unavailable,
    });
    const asked = ask(3n);
    await expect(asked).rejects.toMatchObject({
      code: Code.Unavailable,
      rawMessage: expect.stringContaining('The transactions of block 3 (1, 10 bytes)') as unknown,
    });
    const { metadata } = (await asked.catch((error: unknown) => error)) as ConnectError;
    expect(metadata.get('x-hindsight-missing')).toContain('block.data.txs');
  });

  it.each(NAMES)('requires a key by %s', async (name) => {
    const transport = by(`${api.url}/nodes/alpha`, name);
    await expect(callBy(transport, 'StoreService/GetState')).rejects.toMatchObject({
      code: Code.Unauthenticated,
    });
  });
});
