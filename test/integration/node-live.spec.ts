import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BlockRecord } from '../../src/domain/blocks/block.js';
import { packBlocks } from '../../src/domain/blocks/pack-blocks.js';
import { create, toJson, type JsonValue } from '@bufbuild/protobuf';
import { toBlockMessage } from '../../src/node-service/block-message.js';
import { METHODS } from '../../src/node-service/messages.js';
import { type ApiServer, startApi } from '../support/api-server.js';
import { appendLog } from '../support/append-log.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { makeBlock } from '../support/random-log.js';
import { appendTo } from '../support/record-log.js';
import { SmallLog } from '../support/small-log.js';

const NOT_THERE = { code: 'internal', message: 'failed to retrieve block data: datastore: key not found' };
/** The node shows another signature of this block by now. */
const RESIGNED = 2;

function recordOf(height: number): BlockRecord {
  const block = makeBlock({ height: BigInt(height), timeMs: SmallLog.START + height, dataBytes: 331 });
  return { ...block, signature: 'aa', signerAddress: 'bb', checks: { ...block.checks, data: 'NOT_CHECKED' } };
}

/** The node's present answer for a height. */
function showBlock(height: number): JsonValue {
  const record = recordOf(height);
  const { chainId, timeNs } = record.header;
  const known = {
    ...record,
    signature: height === RESIGNED ? 'cc' : record.signature,
    metadata: { chainId, timeNs, height: BigInt(height), lastDataHash: 'dd' },
    transactions: [Buffer.from('one')],
  };
  const type = METHODS.get('StoreService/GetBlock')!.output;
  return toJson(type, create(type, toBlockMessage(known) as Record<string, unknown>));
}

describe('a living node, asked for data that are not on record', () => {
  let node: Server;
  let database: TestDatabase;
  let api: ApiServer;
  const newest = 5;

  beforeAll(async () => {
    node = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { height = 0 } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { height?: number };
        const isThere = request.url?.endsWith('/GetBlock') && height > 0 && height <= newest;
        response.writeHead(isThere ? 200 : 500, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isThere ? showBlock(height) : NOT_THERE));
      });
    });
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
    database = await startTestDatabase();
    api = await startApi(database.url, { nodes: [{ id: 'alpha', url, service: 'evnode.v1' }] });
    const log = new SmallLog().register('alpha').describe('alpha', 'one');
    const body = { chain: 'one', lineage: 1, head: '6', ...packBlocks([1, 2, 3].map(recordOf)) };
    appendTo(log.events, 'alpha/blocks', [{ type: 'BlocksObserved', observedAt: SmallLog.START, body }]);
    const untold = { headTimeNs: null, daIncluded: null, lastSubmittedHeader: null, lastSubmittedData: null };
    const progress = { head: '6', ...untold, headerStoreHead: null, oldest: null, firstPending: null };
    appendTo(log.events, 'alpha/blocks', [
      {
        type: 'NodeProgressObserved',
        observedAt: SmallLog.START,
        body: { ...progress, clockOffsetMs: null },
      },
    ]);
    await appendLog(api.dataSource, log.events);
  });

  afterAll(async () => {
    await api?.stop();
    await database?.stop();
    node?.close();
  });

  const post = (method: string, body: object, query = ''): Promise<Response> =>
    fetch(`${api.url}/nodes/alpha/evnode.v1.StoreService/${method}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const getBlock = async (height: number, query = '') => {
    const response = await post('GetBlock', { height }, query);
    const { block } = (await response.json()) as {
      block?: { header: { signature: string }; data: { txs?: string[] } };
    };
    const [proven, missing] = ['proven', 'missing'].map((name) =>
      response.headers.get(`x-hindsight-${name}`),
    );
    return {
      status: response.status,
      signature: block?.header.signature,
      txs: block?.data.txs,
      proven,
      missing,
    };
  };
  const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

  it('returns the transactions of a recorded block, and proves nothing that is not checked', async () => {
    const txs = [Buffer.from('one').toString('base64')];
    const found = { status: 200, signature: base64('aa'), txs, proven: 'false', missing: null };
    expect(await getBlock(1)).toEqual(found);
  });

  it('does not report an old block as the newest, nor as missing, while it catches up with the head', async () => {
    const then = `?at=${new Date(SmallLog.START).toISOString()}`;
    for (const query of ['', then]) {
      expect((await getBlock(0, query)).status).toBe(503);
      expect((await post('GetState', {}, query)).status).toBe(503);
      expect(await getBlock(3, query)).toMatchObject({ status: 200 });
      expect((await getBlock(7, query)).status).toBe(500);
    }
    expect(await getBlock(4)).toMatchObject({ status: 200, proven: 'false' });
    expect((await getBlock(4, then)).status).toBe(503);
    // The node does not have it either.
    expect((await getBlock(6)).status).toBe(500);
  });

  it('knows of no block before the first poll', async () => {
    const before = `?at=${new Date(SmallLog.START - 1).toISOString()}`;
    for (const body of [{ height: 1 }, { hash: 'AAAA' }]) {
      expect((await post('GetBlock', body, before)).status).toBe(503);
    }
    expect((await post('GetBlock', { hash: 'AAAA' })).status).toBe(500);
  });

  it('does not report unknown metadata as missing', async () => {
    expect((await post('GetMetadata', { key: 'd' })).status).toBe(503);
  });

  it('provides nothing for a block that is signed differently by now', async () => {
    expect(await getBlock(RESIGNED)).toMatchObject({ status: 503, txs: undefined });
    expect(await getBlock(RESIGNED, '?shape=spec')).toMatchObject({
      status: 200,
      signature: 'aa',
      txs: undefined,
      missing: expect.stringContaining('block.data.txs') as unknown,
    });
  });
});
