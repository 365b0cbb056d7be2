import { readFileSync } from 'node:fs';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { ManualClock } from '../support/manual-clock.js';

interface Sample {
  about: string;
  node: 'aggregator' | 'follower';
  method: string;
  path: string;
  request?: unknown;
  headers?: Record<string, string>;
  status?: number;
  type?: string | null;
  body?: string;
  error?: string;
}

const SAMPLES = readFileSync(new URL('../fixtures/ev-node/samples.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Sample);

/** Keys and types at every depth; for a list, the shapes that occur in it, whatever their number. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return [...new Set(value.map((each) => JSON.stringify(shapeOf(each))))].sort();
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, each]) => [key, shapeOf(each)] as const);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return value === null ? 'null' : typeof value;
}

describe('answers of a devnode, next to those of the real node', () => {
  const clock = new ManualClock();
  const nodes = {} as Record<Sample['node'], Devnode>;

  beforeAll(async () => {
    nodes.aggregator = await startDevnode({
      chainId: 'shapes-1',
      clock,
      blockTimeMs: 500,
      daBlockTimeMs: 1_000,
    });
    await clock.advance(30_000);
    nodes.aggregator.faults.begin('down');
    await clock.advance(8_000);
    nodes.follower = await startDevnode({ chainId: 'shapes-1', clock, follow: nodes.aggregator.url });
    while ((nodes.follower.chain.getMetadata('d') ?? 0n) !== nodes.aggregator.chain.getMetadata('d')) {
      await clock.advance(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  afterAll(() => Promise.all(Object.values(nodes).map((node) => node.stop())));

  function ask(sample: Sample, path = sample.path, request = sample.request): Promise<Response> {
    const body = typeof request === 'string' ? request : JSON.stringify(request);
    return fetch(nodes[sample.node].url + path, {
      method: sample.method,
      headers: { 'content-type': 'application/json', ...sample.headers },
      ...(sample.request !== undefined && { body }),
    });
  }

  /** A page with its own text and the structure of the real page. The sample holds the beginning of the real page. */
  function expectPage(page: string, sample: string): void {
    const head = /^<!DOCTYPE html>\n<html>\n<head>\n {4}<title>[^<]+<\/title>\n/;
    expect(sample).toMatch(head);
    expect(page).toMatch(head);
    expect(page).toMatch(/\n<body>\n[^]*\n<\/body>\n<\/html>\n$/);
    for (const path of ['/da/submissions', '/da/stats', '/da/health']) {
      expect(page).toContain(`<a href="${path}">`);
    }
  }

  const isList = ({ path }: Sample): boolean => path === '/da/submissions';
  const isBlock = ({ path, status }: Sample): boolean => path.endsWith('GetBlock') && status === 200;
  const isBlob = ({ path }: Sample): boolean => path.startsWith('/da/blob') && path.includes('id=9c');
  const isPeers = ({ path }: Sample): boolean => path.endsWith('GetPeerInfo');
  const plain = SAMPLES.filter((each) => !isList(each) && !isBlock(each) && !isBlob(each) && !isPeers(each));

  it.each(plain.map((sample) => [`${sample.about} (${sample.node})`, sample] as const))(
    '%s',
    async (_, sample) => {
      if (sample.error !== undefined) {
        await expect(ask(sample)).rejects.toThrow();
        return;
      }
      const response = await ask(sample);
      const body = await response.text();
      expect(response.status).toBe(sample.status);
      expect(response.headers.get('content-type')).toBe(sample.type ?? null);
      expect(response.headers.get('date')).toBe(new Date(clock.now()).toUTCString());
      if (sample.type !== 'application/json') {
        if (sample.type === 'text/html') expectPage(body, sample.body ?? '');
        else expect(body).toBe(sample.body ?? '');
        return;
      }
      // Go's protobuf puts a no-break space into its messages in some builds.
      const expected = JSON.parse((sample.body ?? '').replaceAll('\u00a0', ' ')) as object;
      // The sample's follower had not seen its DA layer yet; later it shows a height too.
      const answer = JSON.parse(
        sample.node === 'follower' ? body.replace(/"daHeight":"\d+",/, '') : body,
      ) as object;
      expect(shapeOf(answer)).toEqual(shapeOf(expected));
      if ('code' in expected) {
        // For an unreadable message, each library describes the error in its own words.
        const isUnreadable =
          'message' in expected && String(expected.message).startsWith('unmarshal message:');
        expect(answer).toEqual(
          isUnreadable ? { ...expected, message: expect.stringMatching(/^cannot decode/) } : expected,
        );
      }
    },
  );

  it.each(SAMPLES.filter(isList))(
    'lists its submissions by $method as the real $node does',
    async (sample) => {
      const response = await ask(sample);
      expect(response.status).toBe(200);
      const body = await response.text();
      expect(body === '').toBe(sample.body === '');
      if (body !== '') {
        expect(shapeOf(JSON.parse(body))).toEqual(shapeOf(JSON.parse(sample.body ?? '')));
        expect(Object.keys(JSON.parse(body) as object)).toEqual(
          Object.keys(JSON.parse(sample.body ?? '') as object),
        );
      }
    },
  );

  it.each(SAMPLES.filter(isBlock))('shows a block: $about', async (sample) => {
    const expected = JSON.parse(sample.body ?? '') as { block: { data: { txs?: string[] } } };
    const hasTransactions = expected.block.data.txs !== undefined;
    const isIncluded = 'headerDaHeight' in expected;
    const isNewest = (sample.request as { height: unknown }).height === '0';
    const { chain } = nodes.aggregator;
    const heights = Array.from({ length: 76 }, (_, index) => BigInt(index + 1));
    const isFirst = (sample.request as { height: unknown }).height === '1';
    const height = heights
      .filter((each) => isFirst === (each === 1n))
      .find((each) => {
        const block = chain.find(each);
        return (
          block &&
          block.transactions.length > 0 === hasTransactions &&
          (block.headerDaHeight !== null) === isIncluded
        );
      });
    const wanted =
      typeof (sample.request as { height: unknown }).height === 'number' ? Number(height) : String(height);
    const response = await ask(sample, sample.path, { height: isNewest ? '0' : wanted });
    expect(response.status).toBe(200);
    const block = (await response.json()) as { block: { data: object } };
    if (isNewest && !('txs' in block.block.data)) {
      Object.assign(block.block.data, { txs: ['an empty newest block leaves them out'] });
    }
    expect(shapeOf(block)).toEqual(shapeOf(expected));
  });

  it.each(SAMPLES.filter(isBlob))('shows a blob: $about', async (sample) => {
    const row = nodes.aggregator.ring.list().find(({ blob_ids: ids }) => ids);
    const path = sample.path
      .replace(/id=\w+/, `id=${row?.blob_ids?.[0] ?? ''}`)
      .replace(/namespace=\w{58}/, `namespace=${row?.namespace ?? ''}`);
    const response = await ask(sample, path);
    const body = await response.text();
    expect(response.status).toBe(sample.status);
    if (sample.status === 200) {
      expect(shapeOf(JSON.parse(body))).toEqual(shapeOf(JSON.parse(sample.body ?? '')));
      expect(JSON.parse(body)).toMatchObject({
        height: row?.height,
        size: (JSON.parse(body) as { content: string }).content.length / 2,
      });
    } else {
      expect(body).toBe(sample.body);
    }
  });
});
