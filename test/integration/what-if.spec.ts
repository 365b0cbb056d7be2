import { Decimal } from '../../src/domain/cost/decimal.js';
import { WhatIfReader, type WhatIfRequest } from '../../src/statistics/what-if/what-if.reader.js';
import { blockRow, insertRows, nodeRow, submissionRow, type TableRow } from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

/** The time of block 0; blocks are six seconds apart, so 10 make a minute. */
const START_MS = Date.UTC(2026, 10, 21, 3);
const MINUTE = 60_000;
const POLICY = { joined: false, maxBytes: 5_242_880, submissionMs: 0 } as const;

function timeOf(height: number): string {
  return new Date(START_MS + height * 6_000).toISOString();
}

/** A block of 350 bytes of header; those with an even height have 600 bytes of data. */
function blockAt(height: number, more: TableRow = {}): TableRow {
  const hasData = height % 2 === 0;
  return blockRow(height, {
    time_ns: String(BigInt(START_MS + height * 6_000) * 1_000_000n),
    header_blob_bytes: 350,
    data_blob_bytes: hasData ? 600 : 0,
    tx_count: hasData ? 3 : 0,
    header_da_height: 100 + height,
    data_da_height: 100 + height,
    ...more,
  });
}

function heights(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

interface Outcome {
  readonly submissions: string;
  readonly blobs: string;
  readonly gas: string;
  readonly gasFloat: number;
  readonly fee: string | null;
  readonly feeFloat: number | null;
  readonly unpriced: string;
  readonly blocksUnmeasured: string;
  readonly inclusionLagMs: { readonly max: number; readonly count: string } | null;
}

interface Report {
  readonly blocks: string;
  readonly blocksMissing: string;
  readonly blocksNotIncluded: string;
  readonly transactions: string;
  readonly coveredFrom: string | null;
  readonly coveredTo: string | null;
  readonly notes: readonly string[];
  readonly baseline: Readonly<Record<string, unknown>>;
  readonly policies: readonly Outcome[];
}

const FIELDS = `blocks blocksMissing blocksNotIncluded transactions coveredFrom coveredTo notes
  baseline { submissions unreadable blobs sizeBytes bytes bytesFloat gasMin gasMax feeMin feeMax feeMaxFloat feeUnit }
  policies { everyBlocks everyMs joined submissions blobs sizeBytes bytes gas gasFloat fee feeFloat unpriced oversized blocksUnmeasured
             inclusionLagMs { p50 max count } }`;

describe('the what-if report over recorded blocks', () => {
  const api = useApi();

  const textOf = (from: number, to: number, policies: string, more = '', chain = 'alpha-1'): string =>
    `{ whatIf(chain: "${chain}", from: "${timeOf(from)}", to: "${timeOf(to)}", policies: [${policies}] ${more}) { ${FIELDS} } }`;
  const ask = async (...args: Parameters<typeof textOf>): Promise<Report> =>
    (await api.read<{ whatIf: Report }>(textOf(...args))).whatIf;
  const fault = async (query: string): Promise<string> => {
    const [error] = (await api.ask(query)).errors ?? [];
    return `${error?.extensions.code}: ${error?.message}`;
  };

  beforeAll(async () => {
    const { dataSource } = api;
    await insertRows(dataSource, 'lineage', [
      { lineage_key: 1, chain_id: 'alpha-1', n: 1, from_position: 1 },
      { lineage_key: 2, chain_id: 'alpha-1', n: 2, from_position: 1 },
      { lineage_key: 3, chain_id: 'beta-1', n: 1, from_position: 1 },
    ]);
    await insertRows(dataSource, 'node', [
      nodeRow(1, 'alpha', { chain_id: 'alpha-1', lineage_key: 1 }),
      nodeRow(2, 'alpha-follower', { chain_id: 'alpha-1', lineage_key: 1 }),
      nodeRow(3, 'beta', { chain_id: 'beta-1', lineage_key: 3 }),
      nodeRow(4, 'gamma', { chain_id: 'gamma-1' }),
    ]);
    await insertRows(dataSource, 'block', [
      ...heights(1, 20).map((height) => blockAt(height)),
      // The follower has seen some blocks that the first node did not, and knows of later inclusions.
      ...heights(15, 30).map((height) => blockAt(height, { node_key: 2 })),
      // Unknown sizes, and heights that no node saw (33 to 36); the last two are not included yet.
      blockAt(31, { header_blob_bytes: null, data_blob_bytes: null }),
      blockAt(32),
      blockAt(37, { header_da_height: null, data_da_height: null }),
      blockAt(38, { data_da_height: null }),
      // Another history from height 40 on, and another chain.
      ...heights(40, 43).map((height) => blockAt(height, { lineage_key: 2 })),
      ...heights(1, 9).map((height) => blockAt(height, { node_key: 3, lineage_key: 3 })),
    ]);
    await insertRows(dataSource, 'price', [
      {
        chain: 'alpha-1',
        subject: 'GAS_PRICE',
        effective_from: timeOf(5),
        value: { utia: '0.004' },
        source: 'test',
        recorded_at: timeOf(0),
        from_position: 1,
        to_position: null,
      },
    ]);
    await insertRows(dataSource, 'submission', [
      // Both nodes show the same submission of ten headers.
      submissionOf(1, { digest: 77, time_at: timeOf(11), occurred_at: timeOf(11) }),
      submissionOf(1, {
        node_key: 2,
        digest: 77,
        time_at: timeOf(11),
        occurred_at: timeOf(11),
        counts_for_chain: false,
      }),
      submissionOf(2, { digest: 78, time_at: timeOf(15), occurred_at: timeOf(15), blob_count: null }),
      submissionOf(3, { digest: 79, time_at: timeOf(29), occurred_at: timeOf(29) }),
    ]);
  });

  function submissionOf(sequence: number, more: TableRow): TableRow {
    return submissionRow(sequence, {
      blob_count: 10,
      size_bytes: 3_500,
      shares: 10,
      signed_shares: 10,
      ...more,
    });
  }

  /*
   * Blocks 10 to 19, five of them with data. One header: 4,096 + 700 + 75,000 = 79,796 gas, ⌈319.184⌉ = 320 utia;
   * one data (2 shares): 8,192 + 700 + 75,000 = 83,892 gas, ⌈335.568⌉ = 336 utia.
   *   each block:     10 × 79,796 + 5 × 83,892 = 1,217,420 gas;  3,200 + 1,680 = 4,880 utia
   *   every 5 blocks: headers 2 × (5 × 4,096 + 5 × 700 + 75,000 = 98,980), ⌈395.92⌉ = 396;
   *                   10 to 14 have 3 data: 3 × 8,892 + 75,000 = 101,676, ⌈406.704⌉ = 407;
   *                   15 to 19 have 2 data: 2 × 8,892 + 75,000 = 92,784, ⌈371.136⌉ = 372
   *                   together 392,420 gas, 1,571 utia
   *   a minute, joined: one of 15 blobs and 20 shares: 81,920 + 10,500 + 75,000 = 167,420 gas, ⌈669.68⌉ = 670 utia
   */
  it('shows what other batches would have cost, and their lag', async () => {
    const report = await ask(
      10,
      20,
      `{ everyBlocks: 1 }, { everyBlocks: 5 }, { everyMs: ${MINUTE}, joined: true, submissionMs: 500 }`,
    );
    expect(report).toMatchObject({
      blocks: '10',
      blocksMissing: '0',
      blocksNotIncluded: '0',
      transactions: '15',
      coveredFrom: timeOf(10),
      coveredTo: timeOf(19),
      notes: [],
    });
    expect(report.policies).toMatchObject([
      {
        everyBlocks: 1,
        everyMs: null,
        joined: false,
        submissions: '15',
        blobs: '15',
        gas: '1217420',
        fee: '4880',
      },
      { everyBlocks: 5, submissions: '4', blobs: '15', gas: '392420', gasFloat: 392_420, fee: '1571' },
      { everyMs: MINUTE, joined: true, submissions: '1', gas: '167420', fee: '670', feeFloat: 670 },
    ]);
    const lags = report.policies.map(({ inclusionLagMs }) => [inclusionLagMs?.count, inclusionLagMs?.max]);
    // Block 15 waits for block 19; block 10 opens its minute.
    expect(lags).toEqual([
      ['15', 0],
      ['15', 24_000],
      ['15', 60_500],
    ]);
  });

  /* Ten headers: 40,960 + 7,000 + 75,000 = 122,960 gas, ⌈491.84⌉ = 492 utia; the other one has no known blobs. */
  it('answers a repeated query, with defaults for what a policy leaves out', async () => {
    const question = `query ($policies: [WhatIfPolicy!]!, $from: DateTime!, $to: DateTime!) {
      whatIf(chain: "alpha-1", from: $from, to: $to, policies: $policies) { policies { joined maxBytes submissionMs } } }`;
    const time = { from: '2026-01-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };
    for (const everyBlocks of [5, 6, 7]) {
      const { whatIf } = await api.read<{ whatIf: { policies: unknown[] } }>(question, {
        ...time,
        policies: [{ everyBlocks }],
      });
      expect(whatIf.policies).toEqual([{ joined: false, maxBytes: 5_242_880, submissionMs: 0 }]);
    }
  });

  it('shows next to the estimate what was submitted, once for both nodes', async () => {
    const { baseline } = await ask(10, 20, '{ everyBlocks: 1 }');
    expect(baseline).toEqual({
      submissions: '2',
      unreadable: '1',
      blobs: '10',
      sizeBytes: '7000',
      bytes: '7000',
      bytesFloat: 7000,
      gasMin: '122960',
      gasMax: null,
      feeMin: '492',
      feeMax: null,
      feeMaxFloat: null,
      feeUnit: 'utia',
    });
    expect((await ask(20, 30, '{ everyBlocks: 1 }')).baseline).toMatchObject({
      submissions: '1',
      gasMin: '122960',
      gasMax: '122960',
      feeMax: '492',
      feeMaxFloat: 492,
    });
  });

  it('counts a block once that several nodes showed', async () => {
    const { blocks, policies } = await ask(1, 31, '{ everyBlocks: 1000 }');
    expect([blocks, policies[0]?.blobs, policies[0]?.submissions]).toEqual(['30', '45', '2']);
    // 30 headers of 350 bytes, and the data of 15 blocks with 600.
    expect(policies[0]).toMatchObject({ sizeBytes: '19500', bytes: '19500' });
  });

  it('reads long ranges in pages, even if its nodes saw different parts of them', async () => {
    const { dataSource } = api;
    await insertRows(dataSource, 'lineage', [{ lineage_key: 9, chain_id: 'long-1', n: 1, from_position: 1 }]);
    await insertRows(dataSource, 'node', [
      nodeRow(8, 'long-a', { chain_id: 'long-1', lineage_key: 9 }),
      nodeRow(9, 'long-b', { chain_id: 'long-1', lineage_key: 9 }),
    ]);
    // One has the odd heights and those up to 7,000, the other the even ones from 3,000 on: 12,000 in all.
    const insert = (nodeKey: number, condition: string): Promise<unknown> =>
      dataSource.query(
        `INSERT INTO block (node_key, lineage_key, height, time_ns, tx_bytes, from_position, proposer_key, tx_count,
                            header_blob_bytes, data_blob_bytes, checks)
         SELECT $1, 9, h, $2::bigint + h::bigint * 1000000000, 0, 1, 1, 0, 350, 0, 0
           FROM generate_series(1, 12000) h WHERE ${condition}`,
        [nodeKey, String(BigInt(START_MS) * 1_000_000n)],
      );
    await insert(8, 'h % 2 = 1 OR h <= 7000');
    await insert(9, 'h % 2 = 0 AND h >= 3000');
    const report = await ask(0, 12_000, '{ everyBlocks: 1 }, { everyBlocks: 100 }', '', 'long-1');
    expect(report).toMatchObject({ blocks: '12000', blocksMissing: '0', blocksNotIncluded: '12000' });
    expect(report.policies.map(({ submissions, blobs }) => [submissions, blobs])).toEqual([
      ['12000', '12000'],
      ['120', '12000'],
    ]);
  });

  it('uses the prices of the book at the time, or the requested price', async () => {
    // The book knows no price before block 5.
    const [byBook] = (await ask(1, 7, '{ everyBlocks: 1 }')).policies;
    expect(byBook).toMatchObject({ submissions: '9', unpriced: '6', fee: null, feeFloat: null });
    const [asked] = (await ask(1, 7, '{ everyBlocks: 6, joined: true }', 'gasPrice: "0.000001"')).policies;
    expect(asked).toMatchObject({ submissions: '1', unpriced: '0', fee: '1' });
  });

  it('reports what is missing, unknown and not included, and keeps histories apart', async () => {
    const report = await ask(30, 60, '{ everyBlocks: 1000 }');
    // 30, 31, 32; 37, 38; 40 to 43. A gap in the heights ends a batch of blocks.
    expect(report).toMatchObject({
      blocks: '9',
      blocksMissing: '4',
      blocksNotIncluded: '2',
      policies: [{ submissions: '6', blobs: '13', blocksUnmeasured: '1' }],
    });
    expect(report.notes).toEqual([
      `The record ends at ${timeOf(43)}: nothing is known about the range after.`,
      '4 blocks in between were never observed, and are not in the figures.',
      '2 blocks are not known to be included yet: the figures of the policies include them, but the recorded figures do not.',
    ]);
    expect((await ask(-100, 5, '{ everyBlocks: 1 }')).notes).toEqual([
      `The record begins at ${timeOf(1)}: nothing is known about the range before.`,
    ]);
  });

  it('reports that nothing is recorded', async () => {
    const empty = await ask(-100, -50, '{ everyBlocks: 1 }');
    expect(empty).toMatchObject({ blocks: '0', coveredFrom: null, coveredTo: null });
    expect(empty.notes).toEqual([
      `No block of this range is recorded; the record covers ${timeOf(1)} to ${timeOf(43)}.`,
    ]);
    expect(empty.policies).toMatchObject([
      { submissions: '0', gas: '0', fee: '0', feeFloat: 0, inclusionLagMs: null },
    ]);
    expect(empty.baseline).toMatchObject({
      submissions: '0',
      gasMin: '0',
      feeMin: '0',
      feeMax: '0',
      feeMaxFloat: 0,
    });
    expect((await ask(1, 9, '{ everyBlocks: 1 }', '', 'gamma-1')).notes).toEqual([
      'No block of this chain is recorded.',
    ]);
  });

  it('answers for times that no database can hold', async () => {
    const query = textOf(1, 2, '{ everyBlocks: 1 }')
      .replace(timeOf(1), '0001-01-01T00:00:00Z')
      .replace(timeOf(2), '9999-12-31T00:00:00Z');
    const { whatIf } = await api.read<{ whatIf: Report }>(query);
    expect([whatIf.blocks, whatIf.coveredTo]).toEqual(['38', timeOf(43)]);
  });

  it.each([
    [
      'a chain that nobody knows',
      () => textOf(1, 9, '{ everyBlocks: 1 }', '', 'omega-1'),
      'There is no chain "omega-1"',
    ],
    ['an empty range', () => textOf(9, 9, '{ everyBlocks: 1 }'), '`from` must be before `to`'],
    [
      'an interval of zero',
      () => textOf(1, 9, '{ everyBlocks: 1 }, { everyMs: 0 }'),
      'Policy 2: A batch cannot close every 0 ms',
    ],
    ['no blocks', () => textOf(1, 9, '{ everyBlocks: 0 }'), 'Policy 1: A batch of 0 blocks'],
    [
      'two rhythms',
      () => textOf(1, 9, '{ everyBlocks: 1, everyMs: 5 }'),
      'either `everyBlocks` or `everyMs`',
    ],
    ['no rhythm', () => textOf(1, 9, '{ joined: true }'), 'either `everyBlocks` or `everyMs`'],
    ['no policy', () => textOf(1, 9, ''), 'from 1 to 10 policies, not 0'],
    [
      'eleven policies',
      () => textOf(1, 9, '{ everyBlocks: 1 },'.repeat(11)),
      'from 1 to 10 policies, not 11',
    ],
    ['a negative price', () => textOf(1, 9, '{ everyBlocks: 1 }', 'gasPrice: "-0.1"'), '`gasPrice` must be'],
  ])('refuses %s', async (_what, query, words) => {
    expect(await fault(query())).toMatch(/^(BAD_USER_INPUT|NOT_FOUND)/);
    expect(await fault(query())).toContain(words);
  });

  it('refuses a range of too many blocks, and two reports at once', async () => {
    const toNs = (height: number): bigint => BigInt(Date.parse(timeOf(height))) * 1_000_000n;
    const request: WhatIfRequest = {
      chain: 'alpha-1',
      fromNs: toNs(1),
      toNs: toNs(31),
      policies: [{ ...POLICY, every: { blocks: 1 } }],
      gasPrice: Decimal.parse('0.004') ?? null,
    };
    const reader = new WhatIfReader(api.dataSource);
    await expect(reader.getReport(request, 30)).resolves.toMatchObject({ blocks: 30 });
    // Found from the node with the most blocks before anything is read; or while reading, if both together have more.
    await expect(reader.getReport(request, 19)).rejects.toThrow('at least 20 blocks; the limit is 19');
    await expect(reader.getReport(request, 29)).rejects.toThrow('at least 30 blocks; the limit is 29');
    const one = textOf(1, 9, '{ everyBlocks: 1 }').slice(1, -1);
    expect(await api.codesOf(`{ a: ${one} b: ${one} }`)).toEqual(['TOO_EXPENSIVE']);
  });
});
