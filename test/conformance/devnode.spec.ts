import { judgeNode, type CheckedRow } from '../../src/conformance/conformance.js';
import { askNode } from '../../src/conformance/node-answers.js';
import type { BlockShape } from '../../src/domain/node-interface/known-block.js';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import type { DevnodeOptions } from '../../src/devnode/devnode-options.js';
import { HttpClient } from '../../src/platform/http.js';
import { waitFor } from '../support/service-process.js';

const http = new HttpClient();

afterAll(() => http.close());

async function judge(node: Devnode): Promise<CheckedRow[]> {
  return judgeNode(await askNode(http, { url: node.url, statusUrl: node.statusUrl }));
}

/** Sections and rows with this verdict. */
function rowsWith(judged: readonly CheckedRow[], ...verdicts: CheckedRow['verdict'][]): string[] {
  return judged
    .filter(({ verdict }) => verdicts.includes(verdict))
    .map(({ section, row }) => `${section} ${row}`);
}

async function withNode<T>(options: Partial<DevnodeOptions>, use: (node: Devnode) => Promise<T>): Promise<T> {
  const node = await startDevnode({
    chainId: 'conformance-1',
    blockTimeMs: 50,
    daBlockTimeMs: 100,
    scenario: { steps: [{ fault: 'down', atMs: 0, forMs: 300 }], repeatMs: 60_300 },
    ...options,
  });
  try {
    return await use(node);
  } finally {
    await node.stop();
  }
}

/** Judges once the list shows a failure and a success with included blocks, and the node no longer calls that degraded. */
function judgeSettled(options: Partial<DevnodeOptions>): Promise<CheckedRow[]> {
  return withNode(options, async (node) => {
    await waitFor('a failure and an included block', () => {
      const statuses = node.ring.list().map(({ status_code }) => status_code);
      const recent = statuses.slice(0, 10);
      const isCalm = recent.length === 10 && recent.filter((status) => status === 'Error').length <= 2;
      const isWhole = isCalm && statuses.some((status) => status !== 'Success');
      return isWhole && Number(node.chain.getMetadata('d') ?? 0n) > 2 ? true : undefined;
    });
    return judge(node);
  });
}

/** Fields that neither the real node nor the devnode reports. */
const LACKING = [
  '2.4 total gas spent',
  '2.4 trends by hour and day',
  '2.4 average submission time',
  '2.4 total blobs',
];

/** Rows that can only be checked while DA monitoring is off, or before the first submission. */
const OTHER_TIMES = ['3.3 404 while DA monitoring is off', '7.1 empty answer before the first submission'];

describe('the devnode against the specification', () => {
  it('matches the specification in its shape, except the listed rows', async () => {
    const judged = await judgeSettled({ shape: 'specification' });
    expect(rowsWith(judged, 'MISSING')).toEqual(LACKING);
    expect(rowsWith(judged, 'OTHERWISE')).toEqual([]);
    const found = new Map(judged.map((row) => [`${row.section} ${row.row}`, row.found]));
    expect(found.get('2.1 block.header.header.time')).toMatch(/^\d{19}$/);
    expect(found.get('2.2 number of blobs')).toMatch(/^num_blobs: \d+$/);
    expect(found.get('2.4 average blob size')).toMatch(/^avg_blob_size: /);
    expect(rowsWith(judged, 'NOT_SEEN')).toEqual(OTHER_TIMES);
  });

  it("differs in the real node's shape by names, integers as text and the hash by which blocks are found", async () => {
    const judged = await judgeSettled({ shape: 'connect' });
    expect(rowsWith(judged, 'MISSING')).toEqual(LACKING);
    const others = judged.filter(
      ({ verdict, found }) => verdict === 'OTHERWISE' && !/^(string|[a-z]+[A-Z])/.test(found),
    );
    expect(others.map(({ row, found }) => `${row}: ${found}`)).toEqual([
      'sync_info.catching_up: false, within result',
      'lookup by hash: not by the header hash: 500, application/json',
    ]);
    expect(rowsWith(judged, 'NOT_SEEN')).toEqual(['2.1 block.header.header.validator_hash', ...OTHER_TIMES]);
  });

  it.each<[string, Partial<DevnodeOptions>, CheckedRow['verdict']]>([
    ['absent', { daMonitoring: 'absent' }, 'AS_SPECIFIED'],
    ['disabled, as the real node says it', { daMonitoring: 'disabled' }, 'OTHERWISE'],
  ])('reports that DA monitoring is %s', async (_, options, verdict) => {
    const judged = await withNode(options, judge);
    expect(judged.find(({ section }) => section === '3.3')).toMatchObject({ verdict });
    expect(rowsWith(judged, 'NOT_SEEN')).toEqual(
      expect.arrayContaining(['2.2 timestamp', '4.4 GET /da/stats']),
    );
  });

  it.each<BlockShape>(['connect', 'specification'])(
    'has an empty list before its first submission (%s)',
    async (shape) => {
      const judged = await withNode({ shape, blockTimeMs: 0 }, judge);
      expect(judged.find(({ section }) => section === '7.1')).toMatchObject({ verdict: 'AS_SPECIFIED' });
    },
  );
});
