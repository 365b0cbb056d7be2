import { judgeNode, type CheckedRow } from '../../src/conformance/conformance.js';
import { askNode } from '../../src/conformance/node-answers.js';
import { HttpClient } from '../../src/platform/http.js';
import { startHostileServer } from '../support/hostile-server.js';
import { loadSamples, startSamplesNode } from '../support/samples-node.js';

const SAMPLES = loadSamples();

/** Judges the answers of a recorded node; for a path with several requests, the ordinary one. */
async function judgeRecorded(name: string): Promise<CheckedRow[]> {
  const answers = SAMPLES.filter(({ node, method, headers, status, path }) => {
    const isBlock = path.endsWith('/GetBlock');
    return (
      node === name && method !== 'HEAD' && !headers && (!isBlock || (method === 'POST' && status === 200))
    );
  });
  // Only an included block is used.
  const [included] = answers.filter(
    ({ path, body }) => path.endsWith('/GetBlock') && body?.includes('dataDaHeight'),
  );
  const server = await startSamplesNode(included ? [included, ...answers] : answers);
  const http = new HttpClient();
  try {
    return judgeNode(await askNode(http, { url: server.url, service: 'evnode.v1' }));
  } finally {
    await http.close();
    await server.close();
  }
}

function found(judged: readonly CheckedRow[], verdict: CheckedRow['verdict']): string[] {
  return judged.filter((row) => row.verdict === verdict).map((row) => `${row.section} ${row.row}`);
}

describe('a recorded node against the specification', () => {
  it('matches the specification in its list, its probes and its endpoints', async () => {
    const judged = await judgeRecorded('aggregator');
    expect(found(judged, 'AS_SPECIFIED')).toEqual(
      expect.arrayContaining([
        '2.2 timestamp',
        '2.2 blob ID',
        '2.2 number of blobs',
        '2.2 status',
        '2.5 status',
        '4.2 GET /health/live',
        '4.4 GET /da/submissions',
        '4.4 GET /da',
      ]),
    );
  });

  it('reports fewer statistics than specified', async () => {
    const judged = await judgeRecorded('aggregator');
    expect(found(judged, 'MISSING').filter((row) => row.startsWith('2.4'))).toEqual([
      '2.4 total gas spent',
      '2.4 trends by hour and day',
      '2.4 average submission time',
      '2.4 total blobs',
    ]);
  });

  it('is not blamed for an empty block, nor for empty parts of a block', async () => {
    const shown = (about: string): string => SAMPLES.find((sample) => sample.about === about)?.body ?? '';
    const blocks: Record<string, string> = { 2: shown('height as a number') };
    const node = await startHostileServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const { height } = JSON.parse(text || '{}') as { height?: number };
        const body = request.url?.endsWith('.StoreService/GetBlock') ? blocks[height ?? ''] : undefined;
        response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(body ?? '{}');
      });
    });
    const http = new HttpClient();
    const judge = async (row: string) =>
      judgeNode(await askNode(http, { url: node.url, service: 'evnode.v1' })).find(
        (each) => each.row === row,
      );
    expect(blocks[2]).not.toContain('"txs"');
    expect(await judge('block.data.txs')).toMatchObject({ verdict: 'NOT_SEEN' });
    expect(await judge('block.header.header.validator_hash')).toMatchObject({ verdict: 'NOT_SEEN' });
    blocks[0] = shown('latest block (height "0")');
    expect(await judge('block.data.txs')).toMatchObject({ verdict: 'AS_SPECIFIED' });
    await http.close();
    await node.close();
  });

  it('is not blamed for having nothing to submit', async () => {
    const judged = await judgeRecorded('follower');
    // Its blocks were not requested.
    expect(found(judged, 'MISSING').filter((row) => !row.startsWith('4.1'))).toEqual([]);
    const rate = judged.find(({ row }) => row === 'success rate');
    expect(rate).toMatchObject({ verdict: 'NOT_SEEN', found: 'it is not an aggregator' });
  });

  it('is not called incomplete for fields that only a success has, while the DA layer fails', async () => {
    const row = { height: 0, blob_size: 350, timestamp: '2026-11-21T03:48:42Z', gas_price: 0, num_blobs: 2 };
    const failed = { ...row, status_code: 'Error', message: 'websocket connection closed' };
    const documents: Record<string, unknown> = {
      '/da/submissions': { submissions: [failed, failed], total: 2 },
      '/da/health': { status: 'critical', is_healthy: false, metrics: { last_success_time: null } },
    };
    const node = await startHostileServer((request, response) => {
      const body = documents[request.url ?? ''];
      response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? {}));
    });
    const http = new HttpClient();
    const judge = async (name: string) =>
      judgeNode(await askNode(http, { url: node.url, service: 'evnode.v1' })).find(
        (each) => each.row === name,
      )?.verdict;
    expect(await judge('blob ID')).toBe('NOT_SEEN');
    expect(await judge('last successful submission')).toBe('NOT_SEEN');
    // A success without a blob does lack the blob ID, and a record that never names the time lacks the time.
    documents['/da/submissions'] = { submissions: [failed, { ...row, status_code: 'Success' }], total: 2 };
    documents['/da/health'] = { status: 'critical', is_healthy: false, metrics: {} };
    expect(await judge('blob ID')).toBe('MISSING');
    expect(await judge('last successful submission')).toBe('MISSING');
    await http.close();
    await node.close();
  });

  it('has no recorded answers for endpoints that it lacks', async () => {
    const judged = await judgeRecorded('aggregator');
    const uses = judged.filter(({ verdict }) => verdict === 'MISSING').map(({ use }) => use);
    expect(new Set(uses)).toEqual(new Set(['computed from the record']));
  });

  it('answers 503 where DA monitoring is off', async () => {
    const judged = await judgeRecorded('DA monitoring disabled');
    expect(judged.find(({ section }) => section === '3.3')).toMatchObject({
      verdict: 'OTHERWISE',
      found: '503, text/plain',
    });
  });
});
