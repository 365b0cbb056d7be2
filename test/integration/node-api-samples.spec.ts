import { decodeSubmissionRow } from '../../src/domain/submissions/submission-row.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { HttpClient } from '../../src/platform/http.js';
import type { HostileServer } from '../support/hostile-server.js';
import { ManualClock } from '../support/manual-clock.js';
import { loadRecording } from '../support/recording.js';
import { loadSamples, startSamplesNode, type Sample } from '../support/samples-node.js';
import { decodeBlock } from '../../src/node-api/decode-block.js';

const STORE = '/evnode.v1.StoreService';
const CONFIG = '/evnode.v1.ConfigService';
const http = new HttpClient();
const samples = loadSamples();
let server: HostileServer | undefined;

afterEach(() => server?.close());
afterAll(() => http.close());

/** Answers one sample at its path, and the newest block so that the prefix is found. */
async function apiFor(sample: Sample): Promise<NodeApi> {
  const block = samples.find((each) => each.about?.startsWith('latest block')) as Sample;
  server = await startSamplesNode([sample, block]);
  return new NodeApi(http, new ManualClock(), { url: server.url });
}

/** Paths of the samples that Hindsight never requests from a node's RPC server; blocks have tests of their own. */
const NEVER_ASKED: readonly string[] = [
  '/',
  '/da',
  '/nothing',
  '/raft/node',
  '/status',
  '/evnode.v1.P2PService/GetNetInfo',
  '/evnode.v1.P2PService/GetPeerInfo',
  `${CONFIG}/GetSignerInfo`,
  `${STORE}/GetGenesisDaHeight`,
];

/** Sends the request of the sample. */
async function askAsSampled(sample: Sample): Promise<unknown> {
  const api = await apiFor(sample);
  const { pathname, searchParams } = new URL(sample.path, 'http://node');
  switch (pathname) {
    case '/da/submissions': {
      const answer = await api.submissions();
      return answer.ok ? answer.value.rows.map(decodeSubmissionRow) : answer;
    }
    case '/da/stats':
      return api.stats();
    case '/da/health':
      return api.health();
    case '/da/blob':
      return api.blob(searchParams.get('id') ?? '', searchParams.get('namespace') ?? undefined);
    case '/health/live':
      return api.live();
    case '/health/ready':
      return api.ready();
    case `${STORE}/GetState`:
      return api.state();
    case `${STORE}/GetMetadata`:
      return api.metadata((sample.request as { key: string }).key);
    case `${STORE}/GetP2PStoreInfo`:
      return api.p2pStoreInfo();
    case `${CONFIG}/GetNamespace`:
      return api.namespace();
    default:
      throw new Error(`Nobody asks for ${pathname}: name it as never asked, or ask for it`);
  }
}

describe('answers of real nodes', () => {
  const others = samples.filter(({ method, path }) => method !== 'HEAD' && !path.includes('GetBlock'));
  const asked = others.filter(({ path }) => !NEVER_ASKED.includes(path));

  it.each(NEVER_ASKED)('include an answer to %s, which Hindsight never requests', (path) => {
    expect(others.map((sample) => sample.path)).toContain(path);
  });

  it.each(
    asked.map((sample) => [`${sample.node}: ${sample.method} ${sample.path.slice(0, 60)}`, sample] as const),
  )('%s is a value', async (_, sample) => {
    const answer = await askAsSampled(sample);
    const isGood = sample.status === 200 && !sample.body?.includes('"is_aggregator":false,"message"');
    const isClaim = sample.path === '/da/stats' || sample.path === '/da/health';
    if (isGood || (isClaim && sample.status === 200)) {
      expect(answer).toBeDefined();
      expect(answer).not.toHaveProperty('ok', false);
    } else {
      expect(answer).toHaveProperty('ok', false);
      expect((answer as { state: string }).state === 'UNREACHABLE').toBe(sample.error !== undefined);
    }
  });

  const blocks = samples.filter(({ path, status }) => path.endsWith('/GetBlock') && status === 200);
  it.each(blocks.map((sample) => [`${sample.node} ${JSON.stringify(sample.request)}`, sample] as const))(
    'block of %s is read whole',
    (_, sample) => {
      const decoding = decodeBlock(JSON.parse(sample.body ?? ''));
      expect(decoding).toMatchObject({ ok: true, shape: 'EV_NODE' });
      if (decoding.ok) {
        const { header, signature, signerAddress, signerPubKey, metadata } = decoding.block;
        expect(header.timeNs).toBeGreaterThan(1_700_000_000_000_000_000n);
        expect(header.unknownFields).toBe(false);
        expect(header.dataHash).toMatch(/^[0-9a-f]{64}$/);
        expect(signature).toMatch(/^[0-9a-f]{128}$/);
        expect(signerPubKey).toMatch(/^08011220[0-9a-f]{64}$/);
        expect(signerAddress).toBe(header.proposerAddress);
        expect(metadata).toMatchObject({
          chainId: header.chainId,
          height: header.height,
          timeNs: header.timeNs,
        });
      }
    },
  );

  const refusedBlocks = samples.filter(({ path, status }) => path === `${STORE}/GetBlock` && status !== 200);
  it.each(refusedBlocks.map((sample) => [sample.about ?? `${sample.node}, no such block`, sample] as const))(
    'a refused block (%s) is missing exactly if the node says that it does not have it',
    async (_, sample) => {
      server = await startSamplesNode([sample]);
      const api = new NodeApi(http, new ManualClock(), { url: server.url, service: 'evnode.v1' });
      const answer = await api.block({ height: 1n });
      expect(answer).toMatchObject({ ok: false, missing: sample.status === 500 });
    },
  );

  it('every block of the recordings is read', () => {
    let count = 0;
    for (const file of ['aggregator', 'follower'] as const) {
      for (const [request, lines] of loadRecording(file).lines) {
        for (const { answer } of request.includes('/GetBlock ') ? lines : []) {
          if (answer?.status === 200) {
            const decoding = decodeBlock(JSON.parse(answer.body.toString('utf8')));
            expect(decoding.ok && String(decoding.block.header.height)).toBe(request.split(' ')[1]);
            count += 1;
          }
        }
      }
    }
    expect(count).toBeGreaterThan(1_000);
  });

  it('an aggregator, a follower and a node with DA monitoring switched off are distinguished', async () => {
    const of = (node: string): Sample =>
      samples.find(
        (each) => each.node === node && each.method === 'GET' && each.path === '/da/submissions',
      ) as Sample;
    const aggregator = await (await apiFor(of('aggregator'))).submissions();
    expect(aggregator.ok && aggregator.value.rows).toHaveLength(100);
    expect(aggregator.ok && JSON.parse(aggregator.value.rows[0] ?? '')).toMatchObject({
      status_code: 'Error',
    });
    await server?.close();
    const follower = await (await apiFor(of('follower'))).submissions();
    expect(follower).toMatchObject({ ok: false, state: 'NOT_AGGREGATOR' });
    await server?.close();
    const disabled = await (await apiFor(of('DA monitoring disabled'))).submissions();
    expect(disabled).toMatchObject({ ok: false, state: 'DISABLED', status: 503 });
  });

  it('says what the samples say', async () => {
    const all = samples.filter(({ node, method }) => node === 'aggregator' && method !== 'HEAD');
    server = await startSamplesNode(all);
    const api = new NodeApi(http, new ManualClock(), { url: server.url });
    expect(await api.state()).toMatchObject({
      ok: true,
      value: {
        chainId: 'lab-1',
        initialHeight: 1n,
        lastBlockHeight: 174n,
        daHeight: 3n,
        lastBlockTimeNs: 1795239870916246782n,
      },
    });
    expect(await api.metadata('d')).toMatchObject({ ok: true, value: 118n });
    expect(await api.namespace()).toMatchObject({
      value: {
        header: '000000000000000000000000000000000000001628c730f46c460a762a',
        data: '00000000000000000000000000000000000000657678d7514f28fead58',
      },
    });
    const hash = Buffer.from('4WKLQ7Nuju9UzaMahGw8QIrxJgaTh6q3JTJ9lt2TbHU=', 'base64').toString('hex');
    expect(await api.p2pStoreInfo()).toMatchObject({
      value: {
        header: { head: { height: 174n, hash }, tail: { height: 1n } },
        data: { tail: { height: 1n } },
      },
    });
    expect(api.servicePrefix).toBe('evnode.v1');
  });
});
