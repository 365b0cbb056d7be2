import type { Devnode } from '../../src/devnode/devnode.js';
import {
  HostileWatch,
  rowText,
  rowTexts,
  startGoodNode,
  startListNode,
  until,
  type ListNode,
} from '../support/hostile-nodes.js';
import { answerOf } from '../support/hostile-server.js';

const YEAR_MS = 365 * 86_400_000;
const DEEP = `{"deep":${'['.repeat(60_000)}${']'.repeat(60_000)}}`;
const DEEP_ID = `{"blob_ids":${'{"id":'.repeat(60_000)}"00"${'}'.repeat(60_001)}`;

interface Placed {
  wild_time: boolean;
  is_observed: boolean;
}

/** Rows that were in a list at its first poll, and rows that came later. */
describe('nodes with odd rows, next to a well-behaved node', () => {
  let watch: HostileWatch;
  let devnode: Devnode;
  let record: { faults: string[] };
  const nodes = new Map<string, ListNode>();
  const start = Date.now() - 60_000;

  beforeAll(async () => {
    watch = await HostileWatch.open();
    devnode = await startGoodNode();
    await begin('numbers', oddNumbers());
    await begin('fifty', rowTexts(1, 50, start));
    await begin('many', rowTexts(1, 5_000, start));
    await begin('oldest', rowTexts(1, 100, start), { newestFirst: false });
    await begin('future', rowTexts(1, 3, start));
    await begin('versions', rowTexts(1, 3, start));
    await begin('away', rowTexts(1, 5, start - 7 * YEAR_MS), { clockOffsetMs: -7 * YEAR_MS });
    await begin('astray', rowTexts(1, 5, start), { clockOffsetMs: 7 * YEAR_MS });
    await begin('mute', rowTexts(1, 5, start), { clockOffsetMs: null });
    await begin('strange', rowTexts(1, 3, start));
    await watch.watch({
      ...Object.fromEntries([...nodes].map(([id, { url }]) => [id, url])),
      good: devnode.url,
    });
    await Promise.all([...nodes.values()].map((node) => node.looked()));
    await change();
    await Promise.all([...nodes.values()].map((node) => node.looked()));
    await watch.seesProgressOf('good', devnode);
    record = await watch.recordOf('good', devnode);
    await watch.stopWatching();
  });

  afterAll(async () => {
    await watch?.close();
    await Promise.all([...nodes.values()].map((node) => node.close()));
    await devnode?.stop();
  });

  async function begin(id: string, rows: string[], more: Partial<ListNode> = {}): Promise<void> {
    nodes.set(id, Object.assign(await startListNode(rows), more));
  }

  function node(id: string): ListNode {
    return nodes.get(id) as ListNode;
  }

  /** Replaces the rows of each node. */
  async function change(): Promise<void> {
    node('fifty').rows = rowTexts(11, 60, start);
    node('many').rows = rowTexts(1_001, 6_000, start);
    node('oldest').rows = rowTexts(31, 130, start);
    node('future').rows = [
      ...node('future').rows,
      rowText(4, { timestamp: '2099-01-01T00:00:00.5Z' }, start),
      rowText(5, {}, Date.now()),
    ];
    node('versions').rows = [
      ...node('versions').rows,
      rowText(4, { status_code: 'Half Included', lanes: [{ lane: 1 }], version: 9 }, start),
    ];
    node('away').rows = [...node('away').rows, rowText(6, {}, Date.now() - 7 * YEAR_MS)];
    node('astray').rows = [...node('astray').rows, rowText(6, {}, Date.now())];
    node('mute').rows = [...node('mute').rows, rowText(6, {}, Date.now())];
    node('strange').rows = [
      ...node('strange').rows,
      DEEP,
      DEEP_ID,
      '{"message":"\\u0000\\ud800"}',
      '{nothing}',
      '7',
    ];
    node('strange').answers.set(
      '/da/health',
      answerOf(`{"status":"healthy","nest":${DEEP.slice(0, 50_000)}`),
    );
    await until(async () => (await watch.rows('strange')).length === 8);
    node('strange').rows = [...node('strange').rows, rowText(4, {}, start)];
  }

  function oddNumbers(): string[] {
    const cells = [
      { height: '9007199254740993', blob_size: '@9007199254740995' },
      { height: '@4611686018427387904', num_blobs: '@2147483647' },
      { height: '@9223372036854775808', blob_size: '@18446744073709551616', num_blobs: '@2147483648' },
      { height: -5, blob_size: -1, num_blobs: -3, gas_price: -7.5 },
      { height: '@1e300', blob_size: 1.5, num_blobs: '@1e-9', gas_price: '@1e-80' },
      { height: '@-9223372036854775809', gas_price: '@123456789012345678901234567890.5', timestamp: '@1e20' },
      { gas_price: '1e99999999', timestamp: '275760-09-13T00:00:00Z', blob_size: '9'.repeat(5_000) },
    ];
    return cells.map((cell, index) => rowText(index + 1, cell, start).replace(/"@([^"]+)"/g, '$1'));
  }

  it('keeps numbers beyond 2^53 to the last digit, and rejects impossible ones', async () => {
    expect(await watch.rows('numbers')).toEqual(node('numbers').rows);
    await watch.project();
    const rows = await watch.submissions(
      'numbers',
      'da_height, size_bytes, blob_count, gas_price, unreadable, wild_time',
    );
    const plain = { size_bytes: 350n, blob_count: 2, gas_price: null, unreadable: false, wild_time: false };
    const none = { da_height: null, size_bytes: null, blob_count: null, unreadable: true };
    expect(rows).toEqual([
      { ...plain, da_height: 9_007_199_254_740_993n, size_bytes: 9_007_199_254_740_995n },
      { ...plain, da_height: 4_611_686_018_427_387_904n, blob_count: 2_147_483_647 },
      { ...plain, ...none },
      { ...plain, ...none },
      { ...plain, ...none },
      {
        ...plain,
        ...none,
        size_bytes: 350n,
        blob_count: 2,
        gas_price: '123456789012345678901234567890.5',
        wild_time: true,
      },
      { ...plain, da_height: 1_007n, size_bytes: null, unreadable: true, wild_time: true },
    ]);
  });

  it.each([
    ['fifty', 'a ring of 50', 60],
    ['many', 'a ring of 5,000', 6_000],
    ['oldest', 'a list with the oldest rows first', 130],
  ])('follows %s: %s', async (id, _, count) => {
    expect(await watch.rows(id)).toEqual(rowTexts(1, count, start));
    expect(await watch.losses(id)).toEqual(['SubmissionHistoryMissing']);
  });

  it('records rows of an unknown version: statuses as sent, new cells in the log', async () => {
    expect(await watch.rows('versions')).toEqual(node('versions').rows);
    await watch.project();
    const rows = await watch.submissions<object>('versions', 'status_text, unreadable');
    expect(rows.at(-1)).toEqual({ status_text: 'Half Included', unreadable: false });
  });

  it('does not trust a row dated 2099: it counts at the time of its observation', async () => {
    expect(await watch.rows('future')).toEqual(node('future').rows);
    expect(await placed('future')).toEqual([
      ...[1, 2, 3].map(() => ({ wild_time: false, is_observed: false })),
      { wild_time: true, is_observed: true },
      { wild_time: false, is_observed: false },
    ]);
    const [last] = await watch.dataSource.query(
      "SELECT last_success_at < now() AS is_past FROM node WHERE id = 'future'",
    );
    expect(last).toEqual({ is_past: true });
  });

  it('trusts a clock that is years off, if rows and answers agree on it', async () => {
    expect(await watch.rows('away')).toEqual(node('away').rows);
    expect(await placed('away')).toEqual(
      [1, 2, 3, 4, 5, 6].map(() => ({ wild_time: false, is_observed: false })),
    );
  });

  it.each([
    ['is years ahead of its rows', 'astray', false],
    ['is not reported', 'mute', true],
  ])('does not trust row times where the clock %s', async (_, id, isFirstWild) => {
    expect(await watch.rows(id)).toEqual(node(id).rows);
    expect(await placed(id)).toEqual([
      ...[1, 2, 3, 4, 5].map(() => ({ wild_time: isFirstWild, is_observed: isFirstWild })),
      { wild_time: true, is_observed: true },
    ]);
  });

  it('continues after rows that the database could refuse: too deep, without a character, not JSON', async () => {
    expect(await watch.rows('strange')).toEqual(node('strange').rows);
    await watch.project();
    const rows = await watch.submissions<object>('strange', 'unreadable');
    expect(rows).toHaveLength(9);
    expect(await watch.losses('strange')).toEqual(['SubmissionHistoryMissing']);
  });

  it('never stopped recording the well-behaved node', async () => {
    expect(record).toEqual({ faults: [] });
  });

  async function placed(id: string): Promise<Placed[]> {
    await watch.project();
    return watch.submissions(id, 'wild_time, time_at = submission.observed_at AS is_observed');
  }
});
