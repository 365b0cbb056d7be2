import { decodeSubmissionRow } from '../../src/domain/submissions/submission-row.js';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { describeNode } from '../../src/observe/node/describe-node.js';
import { inspectNode } from '../../src/observe/node/inspect-node.js';
import { HttpClient } from '../../src/platform/http.js';
import { ManualClock } from '../support/manual-clock.js';

const http = new HttpClient();
const clock = new ManualClock();
const going = new AbortController().signal;
let node: Devnode;

afterEach(() => node.stop());
afterAll(() => http.close());

async function start(shape: 'connect' | 'specification'): Promise<NodeApi> {
  node = await startDevnode({ chainId: 'shapes-1', clock, shape, blockTimeMs: 500, daBlockTimeMs: 1_000 });
  await clock.advance(20_000);
  return new NodeApi(http, clock, { url: node.url });
}

describe.each([
  ['connect', 'EV_NODE', 'evnode.v1'],
  ['specification', 'SPEC', 'node.v1'],
] as const)('a node in the shape %s', (shape, name, prefix) => {
  it('is described', async () => {
    const api = await start(shape);
    expect(await describeNode(api, {}, going)).toMatchObject({
      chain: 'shapes-1',
      servicePrefix: prefix,
      shape: name,
    });
  });

  it('returns a block by height, and says which blocks it does not have', async () => {
    const api = await start(shape);
    const early = await api.block({ height: 2n });
    expect(early).toMatchObject({ ok: true, value: { header: { height: 2n, chainId: 'shapes-1' } } });
    expect(early.ok && early.value.headerDaHeight).toBeGreaterThan(0n);
    expect(early.ok && early.value.header.dataHash).toMatch(/^[0-9a-f]{64}$/);
    expect(await api.block({ height: 1_000_000n })).toMatchObject({ ok: false, missing: true });
  });

  it('shows its submissions, each readable', async () => {
    const api = await start(shape);
    const answer = await api.submissions();
    const rows = answer.ok ? answer.value.rows.map(decodeSubmissionRow) : [];
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.flatMap(({ unreadable }) => unreadable)).toEqual([]);
    expect(rows.map(({ status }) => status)).toContain('SUCCESS');
  });

  it('is inspected from its oldest to its newest block', async () => {
    const api = await start(shape);
    const seen = await inspectNode(api, clock, undefined, going);
    expect(seen).toMatchObject({
      oldest: 1n,
      live: { outcome: 'OK' },
      submissions: { newest: { unreadable: [] } },
    });
    expect('header' in seen.newestBlock && seen.newestBlock.header.height).toBeGreaterThan(10n);
  });

  it('answers probes and claims', async () => {
    const api = await start(shape);
    expect(await api.live()).toMatchObject({ outcome: 'OK' });
    expect(await api.ready()).toMatchObject({ outcome: 'OK' });
    expect(await api.health()).toMatchObject({ ok: true, value: { json: { status: 'healthy' } } });
    expect(await api.stats()).toMatchObject({ ok: true });
  });
});
