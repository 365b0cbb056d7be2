import { toJson } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { METHODS, type Call } from '../../src/node-service/messages.js';
import { ClaimsObserver } from '../../src/observe/claims/claims.observer.js';
import { PollBook } from '../../src/observe/poll-book.js';
import { NodeBudget } from '../../src/observe/subject-recorder.js';
import { HttpClient } from '../../src/platform/http.js';
import { packBlocks } from '../../src/domain/blocks/pack-blocks.js';
import { appendLog } from '../support/append-log.js';
import { ManualClock } from '../support/manual-clock.js';
import { callBy, transportsTo } from '../support/node-clients.js';
import { projectAll } from '../support/read-models.js';
import { makeBlock } from '../support/random-log.js';
import { appendTo } from '../support/record-log.js';
import { SmallLog } from '../support/small-log.js';
import { useApi } from '../support/use-database.js';

const NAMES = [...transportsTo('http://127.0.0.1').keys()];
/** Keys whose values no block, no progress and no description gives. */
const CALLS = [
  'StoreService/GetState',
  'StoreService/GetP2PStoreInfo',
  'StoreService/GetGenesisDaHeight',
  'ConfigService/GetSignerInfo',
  'P2PService/GetPeerInfo',
  'P2PService/GetNetInfo',
] as const satisfies readonly Call[];
const ROUND_MS = 300_000;
const going = new AbortController().signal;

type Json = Readonly<Record<string, unknown>>;

/** The answer to a call, as JSON. */
async function answerOf(baseUrl: string, call: Call, name = 'gRPC', query?: object): Promise<Json> {
  const transport = transportsTo(baseUrl).get(name)!;
  const { message } = await callBy(transport, call, query);
  return toJson(METHODS.get(call)!.output, message) as Json;
}

describe('the services of a node that is gone', () => {
  const api = useApi({ rateLimit: 10_000 });
  const clock = new ManualClock(SmallLog.START);
  const http = new HttpClient();
  let node: Devnode;
  const first = new Map<Call, Json>();
  const last = new Map<Call, Json>();
  let lookedAt: string;

  beforeAll(async () => {
    node = await startDevnode({ chainId: 'spoken-1', clock, blockTimeMs: 500, daBlockTimeMs: 1_000 });
    await clock.advance(20_000);
    await appendLog(api.dataSource, new SmallLog().register('alpha').events);
    const observer = new ClaimsObserver({
      node: { id: 'alpha' },
      store: new EventStore(api.dataSource),
      clock,
      book: new PollBook(),
      budget: new NodeBudget(1e9),
      api: new NodeApi(http, clock, { url: node.url }),
    });
    const look = async (answers: Map<Call, Json>): Promise<void> => {
      await observer.poll(going);
      for (const call of CALLS) answers.set(call, await answerOf(node.url, call));
    };
    await look(first);
    await clock.advance(ROUND_MS);
    await look(last);
    lookedAt = new Date(clock.now()).toISOString();
    await projectAll(api.dataSource);
    await node.stop();
  });
  afterAll(() => http.close());

  const base = (): string => `${api.url}/nodes/alpha`;
  const ask = async (call: Call, at: string): Promise<{ status: number; json: Json; proven: unknown }> => {
    const response = await fetch(`${base()}/evnode.v1.${call}?at=${at}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    const proven = response.headers.get('x-hindsight-proven');
    return { status: response.status, json: (await response.json()) as Json, proven };
  };

  it.each(NAMES)('return all that the node reported, by %s', async (name) => {
    for (const call of CALLS) expect(await answerOf(base(), call, name)).toEqual(last.get(call));
    const { state } = (await answerOf(base(), 'StoreService/GetState', name)) as { state: Json };
    expect(Object.keys(state).sort()).toEqual([
      'appHash',
      'chainId',
      'daHeight',
      'initialHeight',
      'lastBlockHeight',
      'lastBlockTime',
      'nextProposerAddress',
      'version',
    ]);
  });

  it('return for a moment what had been reported by then, and nothing before', async () => {
    const began = new Date(SmallLog.START + 20_000).toISOString();
    for (const call of CALLS) {
      expect(await ask(call, began)).toEqual({ status: 200, json: first.get(call), proven: 'true' });
      expect(await ask(call, lookedAt)).toMatchObject({ status: 200, json: last.get(call) });
      const early = new Date(SmallLog.START + 19_999).toISOString();
      expect(await ask(call, early)).toMatchObject({ status: 503, json: { code: 'unavailable' } });
    }
    expect(first.get('StoreService/GetState')).not.toEqual(last.get('StoreService/GetState'));
  });

  it('have the key of the genesis DA height, with the value of its call', async () => {
    const { height } = last.get('StoreService/GetGenesisDaHeight') as { height: string };
    const { value } = await answerOf(base(), 'StoreService/GetMetadata', 'gRPC', { key: 'gdh' });
    expect(Buffer.from(String(value), 'base64').readBigUInt64LE()).toBe(BigInt(height));
  });

  it('report that there is no such key if the node said so, and report this for no other key', async () => {
    const ask = (key: string) => answerOf(base(), 'StoreService/GetMetadata', 'gRPC', { key });
    await expect(ask('lst-prnd-b')).rejects.toMatchObject({
      code: Code.NotFound,
      rawMessage: "failed to get metadata for key 'lst-prnd-b': datastore: key not found",
    });
    await expect(ask('lst-prnd-s')).rejects.toMatchObject({ code: Code.Unavailable });
  });

  it('are found among the claims of the node', async () => {
    const { claims } = await api.read<{ claims: { nodes: Json[] } }>(
      '{ claims(node: "alpha", kind: SIGNER) { nodes { kind status body observedAt } } }',
    );
    expect(claims.nodes).toEqual([
      {
        kind: 'SIGNER',
        status: null,
        body: last.get('ConfigService/GetSignerInfo'),
        observedAt: '2026-11-21T00:00:20.000Z',
      },
    ]);
  });
});

describe('the state of a node that has shown blocks since it reported its state', () => {
  const api = useApi({ rateLimit: 10_000 });

  const state = {
    version: { block: '11', app: '3' },
    chainId: 'made-up',
    initialHeight: '1',
    lastBlockHeight: '2',
    lastBlockTime: '2026-11-21T00:00:02Z',
    daHeight: '7',
    appHash: 'AA==',
    nextProposerAddress: 'AQ==',
  };

  beforeAll(async () => {
    const log = new SmallLog().register('alpha').describe('alpha', 'small-1');
    log.blocks(
      'alpha',
      'small-1',
      [1, 2].map((height) => ({ height, at: height * 1_000 })),
    );
    log.now = 2_500;
    log.claim('alpha', 'state', { state });
    log.now = 3_500;
    log.blocks('alpha', 'small-1', [{ height: 3, at: 3_000 }]);
    log.now = 5_500;
    log.blocks('alpha', 'small-1', [{ height: 4, at: 4_000 }]);
    const newest = makeBlock({ height: 5n, timeMs: SmallLog.START + 5_000, dataBytes: 0 });
    const body = packBlocks([{ ...newest, header: { ...newest.header, appHash: 'abcd' } }]);
    appendTo(log.events, 'alpha/blocks', [
      {
        type: 'BlocksObserved',
        observedAt: SmallLog.START + log.now,
        body: { chain: 'small-1', lineage: 1, ...body },
      },
    ]);
    log.claim('alpha', 'signer', { address: { no: 'bytes' } });
    await appendLog(api.dataSource, log.events);
  });

  const stateAt = async (ms: number): Promise<Json> => {
    const at = new Date(SmallLog.START + ms).toISOString();
    const path = `nodes/alpha/evnode.v1.StoreService/GetState?at=${at}`;
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    const answer = (await (await fetch(`${api.url}/${path}`, init)).json()) as { state: Json };
    return answer.state;
  };

  it('is the reported one, until two newer blocks give another one completely', async () => {
    expect(await stateAt(2_500)).toEqual(state);
    // The hash for block 3 is in block 4, which was not seen by then.
    expect(await stateAt(3_500)).toEqual(state);
  });

  it('is the state before the newest block, whose header has its hash', async () => {
    expect(await stateAt(5_500)).toEqual({
      ...state,
      lastBlockHeight: '4',
      lastBlockTime: '2026-11-21T00:00:04Z',
      appHash: Buffer.from('abcd', 'hex').toString('base64'),
      nextProposerAddress: Buffer.from('aa', 'hex').toString('base64'),
    });
  });

  it('is not made from an answer that is no such message', async () => {
    const asking = answerOf(`${api.url}/nodes/alpha`, 'ConfigService/GetSignerInfo');
    await expect(asking).rejects.toMatchObject({ code: Code.Unavailable });
  });
});
