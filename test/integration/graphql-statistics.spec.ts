import { ManualClock } from '../support/manual-clock.js';
import { insertRows, lossRow, nodeRow, type TableRow } from '../support/read-model-rows.js';
import { DATA, everyHour, HEADERS, StatisticsWorld } from '../support/statistics-world.js';
import { useApi } from '../support/use-database.js';

/** Long after everything that is recorded here. */
const clock = new ManualClock(Date.UTC(2026, 11, 1));

type Row = Record<string, unknown>;

describe('statistics over GraphQL', () => {
  const api = useApi({ clock });
  let world: StatisticsWorld;

  const rowsOf = async (args: string, fields: string): Promise<Row[]> =>
    (await api.read<{ statistics: Row[] }>(`{ statistics(${args}) { ${fields} } }`)).statistics;
  const pairsOf = async (args: string, field = 'attempts'): Promise<unknown[][]> =>
    (await rowsOf(args, `time ${field}`)).map((row) => [row['time'], row[field]]);
  const faultOf = async (args: string): Promise<string> => {
    const { errors } = await api.ask(`{ statistics(${args}) { time } }`);
    return `${errors?.[0]?.extensions.code}: ${errors?.[0]?.message}`;
  };

  beforeAll(async () => {
    world = new StatisticsWorld(api.dataSource);
    await world.addNodes();
    await addBerlin();
    // Kolkata, 5:30 ahead: seven minutes past every hour of UTC, over two of its midnights.
    await world.addSubmissions(3, everyHour('2026-05-01T18:00:00Z', '2026-05-03T19:00:00Z', 7));
    await addPlain();
    await world.rollUp();
  });

  /** An attempt at half past every hour around both clock changes; in June the rows that two nodes of the chain show. */
  async function addBerlin(): Promise<void> {
    await world.addSubmissions(1, everyHour('2026-03-27T23:00:00Z', '2026-03-31T22:00:00Z', 30));
    await world.addSubmissions(1, everyHour('2026-10-23T22:00:00Z', '2026-10-26T23:00:00Z', 30));
    await world.addCoverage('b1', '2026-03-28T05:00:00Z', '2026-03-31T22:00:00Z');
    for (const [nodeKey, minutes] of [
      [1, [0, 1, 2]],
      [2, [0, 1, 2, 3]],
    ] as const) {
      for (const minute of minutes) {
        const at = `2026-06-10T10:0${minute}:00Z`;
        const isShown = nodeKey === 2 && minute < 3;
        await world.addSubmissions(nodeKey, [at], {
          digest: minute,
          status: minute === 1 ? 6 : 0,
          counts_for_chain: !isShown,
        });
      }
    }
    await world.addCoverage('b2', '2026-06-09T22:00:00Z', '2026-06-11T10:00:00Z');
    await insertRows(api.dataSource, 'loss', [
      lossRow(20, {
        from_at: '2026-06-11T10:00:00Z',
        to_at: '2026-06-11T11:00:00Z',
        min_lost: 4,
        likely_lost: 6,
      }),
    ]);
  }

  /**
   * Ten blocks, one each ten minutes from midnight of UTC, with a transaction of 100 bytes in 3, 6 and 9. A submission
   * at 00:35 carried the headers of 1 to 3. One at 00:36 carried the data of 3, one at 01:05 the headers of 4 to 6.
   */
  async function addPlain(): Promise<void> {
    const heights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    for (const height of heights) {
      const at = new Date(Date.UTC(2026, 6, 1) + (height - 1) * 600_000).toISOString();
      const hasData = height % 3 === 0;
      const headerDa = height <= 3 ? 100 : height <= 6 ? 102 : null;
      await world.addBlocks(4, height, [at], {
        lineage_key: 3,
        header_da_height: headerDa,
        data_da_height: height === 3 ? 101 : hasData ? null : headerDa,
        tx_count: hasData ? 1 : 0,
        tx_bytes: hasData ? 100 : 0,
        header_blob_bytes: 300,
        data_blob_bytes: hasData ? 150 : 0,
      });
    }
    await insertRows(api.dataSource, 'inclusion_walk', [walkRow(4, 3, 10)]);
    const headers = { blob_count: 3, size_bytes: 900, shares: 3, signed_shares: 3 };
    await world.addSubmissions(4, ['2026-07-01T00:35:00Z'], {
      ...headers,
      da_height: 100,
      block_from: 1,
      block_to: 3,
      gas_price: '0.0100',
    });
    await world.addSubmissions(4, ['2026-07-01T00:36:00Z'], {
      kind: 1,
      namespace_key: 2,
      size_bytes: 150,
      da_height: 101,
      block_from: 3,
      block_to: 3,
      gas_price: '0.004',
      first_attempt_at: '2026-07-01T00:35:30Z',
    });
    await world.addSubmissions(4, ['2026-07-01T01:05:00Z'], {
      ...headers,
      da_height: 102,
      block_from: 4,
      block_to: 6,
    });
    await world.addSubmissions(4, ['2026-07-01T01:06:00Z', '2026-07-01T01:07:00Z'], {
      kind: 1,
      namespace_key: 2,
      status: 5,
      evidence: 0,
      da_height: null,
      gas_price: '0.002',
    });
    // A success whose size the node sent in an unreadable form.
    await world.addSubmissions(4, ['2026-07-01T02:00:00Z'], {
      evidence: 0,
      blob_count: null,
      size_bytes: null,
      shares: null,
      signed_shares: null,
      namespace_key: null,
      kind: 3,
    });
  }

  const BERLIN = 'filter: {chains: ["berlin-1"]}';
  const MARCH = 'from: "2026-03-27T23:00:00Z", to: "2026-03-31T22:00:00Z"';
  const PLAIN = 'filter: {chains: ["plain-1"]}';

  it('count the days of the zone of the chain, 23 and 25 hours long where the clocks change', async () => {
    expect(await pairsOf(`${BERLIN}, bucket: DAY, ${MARCH}`)).toEqual([
      ['2026-03-27T23:00:00.000Z', '24'],
      ['2026-03-28T23:00:00.000Z', '23'],
      ['2026-03-29T22:00:00.000Z', '24'],
      ['2026-03-30T22:00:00.000Z', '24'],
    ]);
    const october = 'from: "2026-10-23T22:00:00Z", to: "2026-10-26T23:00:00Z"';
    expect(await pairsOf(`${BERLIN}, bucket: DAY, ${october}`)).toEqual([
      ['2026-10-23T22:00:00.000Z', '24'],
      ['2026-10-24T22:00:00.000Z', '25'],
      ['2026-10-25T23:00:00.000Z', '24'],
    ]);
  });

  it('count weeks from Monday, months and years by the same days', async () => {
    expect(await pairsOf(`${BERLIN}, bucket: WEEK, ${MARCH}`)).toEqual([
      ['2026-03-22T23:00:00.000Z', '47'],
      ['2026-03-29T22:00:00.000Z', '48'],
    ]);
    expect(await pairsOf(`${BERLIN}, bucket: MONTH`)).toEqual([
      ['2026-02-28T23:00:00.000Z', '95'],
      ['2026-05-31T22:00:00.000Z', '4'],
      ['2026-09-30T22:00:00.000Z', '73'],
    ]);
    expect(await pairsOf(`${BERLIN}, bucket: QUARTER`)).toEqual([
      ['2025-12-31T23:00:00.000Z', '95'],
      ['2026-03-31T22:00:00.000Z', '4'],
      ['2026-09-30T22:00:00.000Z', '73'],
    ]);
    expect(await pairsOf(`${BERLIN}, bucket: YEAR`)).toEqual([['2025-12-31T23:00:00.000Z', '172']]);
  });

  it('count days that begin at half past an hour of UTC', async () => {
    expect(await pairsOf('filter: {chains: ["kolkata-1"]}, bucket: DAY')).toEqual([
      ['2026-04-30T18:30:00.000Z', '1'],
      ['2026-05-01T18:30:00.000Z', '24'],
      ['2026-05-02T18:30:00.000Z', '24'],
    ]);
  });

  it.each([
    [
      'UTC',
      'from hours',
      ['2026-05-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z', '2026-05-03T00:00:00.000Z'],
      [6, 24, 19],
    ],
    [
      'America/New_York',
      'from hours',
      ['2026-05-01T04:00:00.000Z', '2026-05-02T04:00:00.000Z', '2026-05-03T04:00:00.000Z'],
      [10, 24, 15],
    ],
    [
      'Asia/Kathmandu',
      'from quarters',
      ['2026-04-30T18:15:00.000Z', '2026-05-01T18:15:00.000Z', '2026-05-02T18:15:00.000Z'],
      [1, 24, 24],
    ],
  ])('count the days of %s, %s, if the client names the zone', async (zone, _how, times, counts) => {
    const rows = await pairsOf(`filter: {chains: ["kolkata-1"]}, bucket: DAY, timeZone: "${zone}"`);
    expect(rows).toEqual(times.map((time, index) => [time, String(counts[index])]));
  });

  it('count hours of UTC, unless the hours of the named zone differ', async () => {
    const range = 'from: "2026-05-01T18:00:00Z", to: "2026-05-01T20:00:00Z"';
    const full = [
      ['2026-05-01T18:00:00.000Z', '1'],
      ['2026-05-01T19:00:00.000Z', '1'],
    ];
    const kolkata = `filter: {chains: ["kolkata-1"]}, bucket: HOUR, ${range}`;
    expect(await pairsOf(kolkata)).toEqual(full);
    expect(await pairsOf(`${kolkata}, timeZone: "Europe/Berlin"`)).toEqual(full);
    expect(await pairsOf(`${kolkata}, timeZone: "Asia/Kolkata"`)).toEqual([
      ['2026-05-01T17:30:00.000Z', '1'],
      ['2026-05-01T18:30:00.000Z', '1'],
      ['2026-05-01T19:30:00.000Z', null],
    ]);
  });

  it.each(['', ', timeZone: "Asia/Kolkata"'])(
    'count quarters of an hour of UTC in every zone%s',
    async (zone) => {
      const args = `bucket: QUARTER_HOUR, from: "2026-05-01T18:50:00Z", to: "2026-05-01T19:20:00Z"${zone}`;
      expect(await pairsOf(`filter: {chains: ["kolkata-1"]}, ${args}`)).toEqual([
        ['2026-05-01T18:45:00.000Z', null],
        ['2026-05-01T19:00:00.000Z', '1'],
        ['2026-05-01T19:15:00.000Z', null],
      ]);
    },
  );

  it('cut the buckets at the ends of the time to whole quarter hours', async () => {
    const days = 'bucket: DAY, from: "2026-03-28T10:10:00Z", to: "2026-03-30T03:31:00Z"';
    expect(await pairsOf(`${BERLIN}, ${days}`)).toEqual([
      ['2026-03-27T23:00:00.000Z', '13'],
      ['2026-03-28T23:00:00.000Z', '23'],
      ['2026-03-29T22:00:00.000Z', '6'],
    ]);
    expect(await pairsOf(`${BERLIN}, ${days}, timeZone: "UTC"`)).toEqual([
      ['2026-03-28T00:00:00.000Z', '14'],
      ['2026-03-29T00:00:00.000Z', '24'],
      ['2026-03-30T00:00:00.000Z', '4'],
    ]);
    const hours = 'bucket: HOUR, from: "2026-03-28T10:31:00Z", to: "2026-03-28T12:15:00Z"';
    expect(await pairsOf(`${BERLIN}, ${hours}`)).toEqual([
      ['2026-03-28T10:00:00.000Z', '1'],
      ['2026-03-28T11:00:00.000Z', '1'],
      ['2026-03-28T12:00:00.000Z', '0'],
    ]);
  });

  it('report the monitored share of each bucket, and have a row for every bucket between two given times', async () => {
    const rows = await rowsOf(`${BERLIN}, bucket: DAY, ${MARCH}`, 'coverage');
    expect(rows.map((row) => row['coverage'])).toEqual([0.75, 1, 1, 1]);
    const nothing = await rowsOf(
      `${BERLIN}, bucket: MONTH, from: "2024-12-31T23:00:00Z", to: "2025-02-28T23:00:00Z"`,
      'time attempts successRate averageBlobBytes blocksProduced pendingAtEnd inclusionLagMs { p50 } coverage',
    );
    const unknown = {
      attempts: null,
      successRate: null,
      averageBlobBytes: null,
      blocksProduced: null,
      pendingAtEnd: null,
      inclusionLagMs: null,
      coverage: 0,
    };
    expect(nothing).toEqual([
      { time: '2024-12-31T23:00:00.000Z', ...unknown },
      { time: '2025-01-31T23:00:00.000Z', ...unknown },
    ]);
  });

  it('include, without two given times, buckets that were covered although nothing happened', async () => {
    const rows = await rowsOf(
      `${BERLIN}, bucket: DAY, from: "2026-04-15T00:00:00Z"`,
      'time attempts coverage',
    );
    expect(rows.slice(0, 2)).toEqual([
      { time: '2026-06-09T22:00:00.000Z', attempts: '4', coverage: 1 },
      { time: '2026-06-10T22:00:00.000Z', attempts: '0', coverage: 0.5 },
    ]);
    expect(rows).toHaveLength(5);
  });

  it('count once what several nodes of a chain show, and by node what each node shows', async () => {
    const june = 'bucket: DAY, from: "2026-06-09T22:00:00Z", to: "2026-06-10T22:00:00Z"';
    const fields = 'node chain attempts attemptsFloat successes failures successRate coverage';
    expect(await rowsOf(`${BERLIN}, ${june}`, fields)).toEqual([
      {
        node: null,
        chain: null,
        attempts: '4',
        attemptsFloat: 4,
        successes: '3',
        failures: '1',
        successRate: 0.75,
        coverage: 1,
      },
    ]);
    expect(await rowsOf(`${BERLIN}, ${june}, groupBy: [NODE, CHAIN]`, fields)).toEqual([
      {
        node: 'b1',
        chain: 'berlin-1',
        attempts: '3',
        attemptsFloat: 3,
        successes: '2',
        failures: '1',
        successRate: 2 / 3,
        coverage: 0,
      },
      {
        node: 'b2',
        chain: 'berlin-1',
        attempts: '4',
        attemptsFloat: 4,
        successes: '3',
        failures: '1',
        successRate: 0.75,
        coverage: 1,
      },
    ]);
    expect(await rowsOf(`filter: {nodes: ["b1", "b2"]}, ${june}`, 'attempts coverage')).toEqual([
      { attempts: '7', coverage: 0.5 },
    ]);
    expect(
      await rowsOf(`filter: {nodes: ["b1"], statuses: [SUCCESS]}, ${june}`, 'attempts coverage'),
    ).toEqual([{ attempts: '2', coverage: 0 }]);
  });

  it('name the nodes that the figures of a chain come from, and no nodes for other figures', async () => {
    const range = 'from: "2026-06-10T00:00:00Z", to: "2026-06-11T00:00:00Z", timeZone: "UTC"';
    for (const field of ['statistics', 'costReport']) {
      const ask = async (more: string) => {
        const query = `{ rows: ${field}(bucket: DAY, ${range}, ${more}) { chain node nodes } }`;
        return (await api.read<{ rows: unknown[] }>(query)).rows;
      };
      expect(await ask('filter: {chains: ["berlin-1"]}, groupBy: [CHAIN]')).toEqual([
        { chain: 'berlin-1', node: null, nodes: ['b1', 'b2'] },
      ]);
      expect(await ask('filter: {nodes: ["b1"]}, groupBy: [CHAIN]')).toEqual([
        { chain: 'berlin-1', node: null, nodes: null },
      ]);
      expect(await ask('filter: {chains: ["berlin-1"]}')).toEqual([{ chain: null, node: null, nodes: null }]);
    }
  });

  it('report losses by the bucket in which they were found', async () => {
    const june = `${BERLIN}, bucket: DAY, from: "2026-06-09T22:00:00Z", to: "2026-06-11T22:00:00Z"`;
    expect(await rowsOf(june, 'holes provenLost likelyLost likelyLostFloat')).toEqual([
      { holes: '0', provenLost: '0', likelyLost: '0', likelyLostFloat: 0 },
      { holes: '1', provenLost: '4', likelyLost: '6', likelyLostFloat: 6 },
    ]);
    expect(await rowsOf(`${june}, groupBy: [KIND]`, 'holes kind')).toEqual([{ holes: null, kind: 'HEADER' }]);
  });

  it('group by namespace, kind and status, with rows only where something is recorded', async () => {
    const rows = await rowsOf(
      `${PLAIN}, bucket: DAY, groupBy: [NAMESPACE, KIND, STATUS]`,
      'namespace kind status attempts successes blobCount sizeBytes unreadable averageBlobBytes blocksProduced',
    );
    const common = { unreadable: '0', blocksProduced: null };
    expect(rows).toEqual([
      {
        namespace: null,
        kind: 'UNKNOWN',
        status: 'SUCCESS',
        attempts: '1',
        successes: '1',
        blobCount: '0',
        sizeBytes: '0',
        averageBlobBytes: null,
        ...common,
        unreadable: '1',
      },
      {
        namespace: HEADERS,
        kind: 'HEADER',
        status: 'SUCCESS',
        attempts: '2',
        successes: '2',
        blobCount: '6',
        sizeBytes: '1800',
        averageBlobBytes: 300,
        ...common,
      },
      {
        namespace: DATA,
        kind: 'DATA',
        status: 'SUCCESS',
        attempts: '1',
        successes: '1',
        blobCount: '1',
        sizeBytes: '150',
        averageBlobBytes: 150,
        ...common,
      },
      {
        namespace: DATA,
        kind: 'DATA',
        status: 'CONTEXT_DEADLINE',
        attempts: '2',
        successes: '0',
        blobCount: '0',
        sizeBytes: '0',
        averageBlobBytes: null,
        ...common,
      },
    ]);
  });

  it('filter by namespace, kind and status, in any spelling of a namespace', async () => {
    const count = async (filter: string): Promise<unknown> =>
      (await pairsOf(`filter: {chains: ["plain-1"], ${filter}}, bucket: YEAR`)).map(
        ([, attempts]) => attempts,
      );
    expect(await count(`namespaces: ["0x${DATA.toUpperCase()}"]`)).toEqual(['3']);
    expect(await count('kinds: [HEADER, UNKNOWN]')).toEqual(['3']);
    expect(await count('kinds: [DATA], statuses: [CONTEXT_DEADLINE, ERROR]')).toEqual(['2']);
  });

  it('match nothing for an empty list, or for an unused namespace', async () => {
    for (const filter of ['nodes: []', 'chains: []'])
      expect(await pairsOf(`filter: {${filter}}, bucket: DAY`)).toEqual([]);
    for (const filter of ['kinds: []', 'statuses: []', 'namespaces: ["00"]'])
      expect(await pairsOf(`filter: {chains: ["plain-1"], ${filter}}, bucket: DAY, groupBy: [KIND]`)).toEqual(
        [],
      );
  });

  it('report blocks and how far inclusion had come at the end of each bucket', async () => {
    const rows = await rowsOf(
      `${PLAIN}, bucket: HOUR, from: "2026-06-30T23:00:00Z", to: "2026-07-01T03:00:00Z"`,
      `blocksProduced blocksIncluded transactions transactionsIncluded transactionBytesIncluded
       pendingAtEnd pendingAtEndFloat inclusionFrontierAtEnd`,
    );
    const before = {
      blocksProduced: null,
      blocksIncluded: null,
      transactions: null,
      transactionsIncluded: null,
      transactionBytesIncluded: null,
    };
    const none = {
      blocksProduced: '0',
      blocksIncluded: '0',
      transactions: '0',
      transactionsIncluded: '0',
      transactionBytesIncluded: '0',
    };
    expect(rows).toEqual([
      { ...before, pendingAtEnd: null, pendingAtEndFloat: null, inclusionFrontierAtEnd: null },
      // Headers of 1 to 3 are posted, and the data of 3.
      {
        blocksProduced: '6',
        blocksIncluded: '5',
        transactions: '2',
        transactionsIncluded: '1',
        transactionBytesIncluded: '100',
        pendingAtEnd: '3',
        pendingAtEndFloat: 3,
        inclusionFrontierAtEnd: '3',
      },
      // Headers up to 6; the data of 6 is missing, and 4 and 5 have none.
      {
        blocksProduced: '4',
        blocksIncluded: '0',
        transactions: '1',
        transactionsIncluded: '0',
        transactionBytesIncluded: '0',
        pendingAtEnd: '5',
        pendingAtEndFloat: 5,
        inclusionFrontierAtEnd: '5',
      },
      { ...none, pendingAtEnd: '5', pendingAtEndFloat: 5, inclusionFrontierAtEnd: '5' },
    ]);
    const quarter = 'bucket: DAY, from: "2026-07-01T00:45:00Z", to: "2026-07-01T01:00:00Z"';
    expect(await rowsOf(`${PLAIN}, ${quarter}, groupBy: [NODE]`, 'node blocksProduced pendingAtEnd')).toEqual(
      [{ node: 'p1', blocksProduced: '1', pendingAtEnd: '3' }],
    );
  });

  it('report distributions, shares and gas prices', async () => {
    const [row] = await rowsOf(
      `${PLAIN}, bucket: DAY`,
      `inclusionLagMs { p50 p99 max count countFloat } submissionTimeMs { p50 count } blobBytes { max count }
       sharesMin sharesMax reconstructedShares gasPriceMin gasPriceMean gasPriceMax gasPriceLast gasPriceMinFloat`,
    );
    // Lags of headers: 35, 25 and 15 minutes, then 35, 25 and 15 again (block 4 at 00:30 to 01:05 ...); data of 3: 16.
    expect(row).toEqual({
      inclusionLagMs: {
        p50: expect.closeTo(1_500_000, -5) as unknown,
        p99: 2_100_000,
        max: 2_100_000,
        count: '7',
        countFloat: 7,
      },
      submissionTimeMs: { p50: 30_000, count: '1' },
      blobBytes: { max: 300, count: '7' },
      sharesMin: '7',
      sharesMax: null,
      reconstructedShares: '0',
      gasPriceMin: '0.002',
      gasPriceMean: '0.0045',
      gasPriceMax: '0.01',
      gasPriceLast: '0.002',
      gasPriceMinFloat: 0.002,
    });
  });

  it('mark the buckets with a part that is not counted yet, for the owners concerned', async () => {
    const days = `bucket: DAY, timeZone: "Europe/Berlin", ${MARCH}`;
    const uncounted = async (args: string, question = 'statistics'): Promise<unknown[]> => {
      const answer = await api.read<Record<string, Row[]>>(
        `{ ${question}(${args}, ${days}) { time node chain counted } }`,
      );
      return (answer[question] ?? [])
        .filter(({ counted }) => counted !== true)
        .map(({ time, node, chain }) => [time, node ?? chain]);
    };
    const second = '2026-03-28T23:00:00.000Z';
    await api.dataSource.query(
      `INSERT INTO roll_up_mark (node_key, chain, quarter_at) VALUES
         (0, 'berlin-1', '2026-03-29T10:15:00Z'), (0, 'berlin-1', '2026-03-31T22:00:00Z'), (2, '', '2026-03-29T21:45:00Z')`,
    );
    try {
      expect(await uncounted(BERLIN)).toEqual([[second, null]]);
      expect(await uncounted(BERLIN, 'costReport')).toEqual([[second, null]]);
      expect(await uncounted('groupBy: [CHAIN]')).toEqual([[second, 'berlin-1']]);
      expect(await uncounted('filter: {nodes: ["b1", "b2"]}, groupBy: [NODE]')).toEqual([[second, 'b2']]);
      expect(await uncounted('filter: {nodes: ["b1"]}')).toEqual([]);
      expect(await uncounted(PLAIN)).toEqual([]);
      // The quarter hour that the moment cuts is added up for this answer; past knowledge is added up again.
      expect(await uncounted(`${BERLIN}, asOf: "2026-03-29T10:20:00Z"`)).toEqual([]);
      expect(await uncounted(`${BERLIN}, asOf: "2026-03-29T10:30:00Z"`)).toEqual([[second, null]]);
      expect(await uncounted(`${BERLIN}, knownAt: "2026-11-30T00:00:00Z"`)).toEqual([]);
    } finally {
      await api.dataSource.query('DELETE FROM roll_up_mark');
    }
    expect(await uncounted(BERLIN)).toEqual([]);
  });

  it('answer the same when the query is compiled', async () => {
    const args = `${PLAIN}, bucket: DAY, groupBy: [KIND]`;
    const fields =
      'time kind attempts attemptsFloat ...Rest } } fragment Rest on StatisticsRow { gasPriceMax blobBytes { ... on Distribution { count } ';
    const first = await rowsOf(args, fields);
    expect(first).toMatchObject([
      { kind: 'HEADER', blobBytes: { count: '6' }, gasPriceMax: '0.01' },
      { kind: 'DATA', blobBytes: { count: '1' }, gasPriceMax: '0.004' },
      { kind: 'UNKNOWN', blobBytes: null, gasPriceMax: null },
    ]);
    expect(await rowsOf(args, fields)).toEqual(first);
    expect(await rowsOf(args, fields)).toEqual(first);
  });

  it.each([
    ['bucket: DAY', 'in different zones (Asia/Kolkata, Europe/Berlin, UTC): choose a zone by `timeZone`'],
    ['bucket: DAY, timeZone: "Mars/Olympus"', '"Mars/Olympus" is not a time zone'],
    ['bucket: HOUR, timeZone: "+05:30"', 'is not a time zone'],
    ['bucket: HOUR, from: "2026-05-01T00:00:00Z", to: "2026-05-01T00:00:00Z"', '`from` must be before `to`'],
    [
      'bucket: HOUR, from: "2020-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z"',
      'about 52608 rows; the limit is 10000',
    ],
    [
      'bucket: HOUR, from: "2025-05-01T00:00:00Z", to: "2026-05-01T00:00:00Z", groupBy: [CHAIN]',
      'would be 26280 rows',
    ],
    [
      'bucket: HOUR, from: "2000-01-01T00:00:00Z"',
      'request a shorter time by `from` and `to` or the longer bucket DAY',
    ],
  ])('refuse %s', async (args, reason) => {
    const fault = await faultOf(args);
    expect(fault).toContain('BAD_USER_INPUT: ');
    expect(fault).toContain(reason);
  });

  it('add up chains of different zones if the client names a zone, or asks for hours', async () => {
    const year = 'bucket: YEAR, timeZone: "UTC"';
    expect(await pairsOf(year)).toEqual([['2026-01-01T00:00:00.000Z', String(172 + 49 + 6)]]);
    expect(await rowsOf(`${year}, groupBy: [CHAIN]`, 'chain attempts')).toEqual([
      { chain: 'berlin-1', attempts: '172' },
      { chain: 'kolkata-1', attempts: '49' },
      { chain: 'plain-1', attempts: '6' },
    ]);
  });
});

/** A node whose blocks are recorded up to a height. */
function walkRow(nodeKey: number, lineageKey: number, lastHeight: number): TableRow {
  return {
    node_key: nodeKey,
    lineage_key: lineageKey,
    first_height: 1,
    last_height: lastHeight,
    from_start: true,
    frontier: 5,
    gaps: '{}',
    header_holes: '{}',
    data_holes: '{}',
  };
}

describe('statistics of blocks over GraphQL', () => {
  const api = useApi({ clock });

  const askFor = (args: string, fields: string): Promise<{ errors?: unknown; data?: unknown }> =>
    api.ask(`{ statistics(${args}) { ${fields} } }`);
  const hoursOf = async (chain: string, last: number, fields: string): Promise<Row[]> => {
    const to = new Date(Date.UTC(2026, 6, 1, last + 1)).toISOString();
    const args = `filter: {chains: ["${chain}"]}, bucket: HOUR, from: "2026-07-01T00:00:00Z", to: "${to}"`;
    return (await api.read<{ statistics: Row[] }>(`{ statistics(${args}) { ${fields} } }`)).statistics;
  };

  beforeAll(async () => {
    const world = new StatisticsWorld(api.dataSource);
    // Many chains, with nothing known but their names.
    const more = Array.from({ length: 45 }, (_, index) => ({
      lineage_key: 10 + index,
      n: 1,
      from_position: 1,
    }));
    await insertRows(api.dataSource, 'lineage', [
      { lineage_key: 1, chain_id: 'idle-1', n: 1, from_position: 1 },
      { lineage_key: 2, chain_id: 'gap-1', n: 1, from_position: 1 },
      ...more.map((row) => ({ ...row, chain_id: `other-${row.lineage_key}` })),
    ]);
    await insertRows(api.dataSource, 'node', [
      nodeRow(1, 'idle', { chain_id: 'idle-1', lineage_key: 1, head: 4_000 }),
      nodeRow(2, 'gap', { chain_id: 'gap-1', lineage_key: 2, head: 10 }),
    ]);
    await addIdle(world);
    await addGap(world);
    await world.rollUp();
  });

  /** A block a second from midnight of UTC, the first with a transaction; all but the last ten are posted in that hour. */
  async function addIdle(world: StatisticsWorld): Promise<void> {
    const at = (height: number): string => new Date(Date.UTC(2026, 6, 1) + height * 1_000).toISOString();
    const heights = Array.from({ length: 4_000 }, (_, index) => index + 1);
    const included = { lineage_key: 1, header_da_height: 100, data_da_height: 100 };
    await world.addBlocks(1, 1, [at(1)], { ...included, tx_count: 1, tx_bytes: 50, data_blob_bytes: 80 });
    await world.addBlocks(1, 2, heights.slice(1, 3_990).map(at), included);
    await world.addBlocks(1, 3_991, heights.slice(3_990).map(at), { lineage_key: 1 });
    await insertRows(api.dataSource, 'inclusion_walk', [{ ...walkRow(1, 1, 4_000), frontier: 3_990 }]);
    await world.addSubmissions(1, [at(60)], { kind: 1, block_from: 1, block_to: 1 });
    await world.addSubmissions(1, [at(3_999)], { block_from: 1, block_to: 3_990 });
  }

  /**
   * Blocks 1 to 3 in the first hour, 7 to 9 in the third, with 4 to 6 pruned in between; 10 in the fifth. A submission
   * of the second hour carried the headers of the first.
   */
  async function addGap(world: StatisticsWorld): Promise<void> {
    const lineage = { lineage_key: 2 };
    const at = (hour: number, minutes: readonly number[]): string[] =>
      minutes.map((minute) => new Date(Date.UTC(2026, 6, 1, hour, minute)).toISOString());
    await world.addBlocks(2, 1, at(0, [10, 20, 50]), lineage);
    await world.addBlocks(2, 7, at(2, [10, 20, 30]), lineage);
    await world.addBlocks(2, 10, at(4, [10]), lineage);
    await insertRows(api.dataSource, 'inclusion_walk', [walkRow(2, 2, 10)]);
    await world.addSubmissions(2, at(1, [30]), { ...lineage, block_from: 1, block_to: 3 });
  }

  it('count the pending blocks of a chain without transactions for thousands of blocks', async () => {
    const fields = 'blocksProduced pendingAtEnd inclusionFrontierAtEnd';
    const late = { pendingAtEnd: '10', inclusionFrontierAtEnd: '3990' };
    for (const grouped of ['', ', groupBy: [NODE]']) {
      const args = `filter: {chains: ["idle-1"]}, bucket: DAY, from: "2026-07-01T00:00:00Z", to: "2026-07-02T00:00:00Z"`;
      expect(await askFor(args + grouped, fields)).toMatchObject({
        data: { statistics: [{ blocksProduced: '4000', ...late }] },
      });
    }
    expect(await hoursOf('idle-1', 1, fields)).toEqual([
      // The data is posted; about headers nothing is known yet.
      { blocksProduced: '3599', pendingAtEnd: null, inclusionFrontierAtEnd: null },
      { blocksProduced: '401', ...late },
    ]);
  });

  it('report no figures of blocks in a time with missing heights, and zero where heights follow each other', async () => {
    const producedOf = async (): Promise<unknown[]> =>
      (await hoursOf('gap-1', 5, 'blocksProduced transactions')).map((row) => row['blocksProduced']);
    const missingOf = async (): Promise<unknown[]> =>
      (await hoursOf('gap-1', 5, 'blocksProduced blocksMissing')).map((row) => row['blocksMissing']);
    expect(await producedOf()).toEqual(['3', null, '3', '0', '1', '0']);
    // Blocks between two hours may lie in either.
    expect(await missingOf()).toEqual(['3', null, '3', '0', '0', '0']);
    // Read from quarters, with the block before them in front of the range.
    const cut = (from: string, to: string): Promise<unknown> =>
      askFor(`filter: {nodes: ["gap"]}, bucket: DAY, from: "${from}", to: "${to}"`, 'blocksProduced');
    expect(await cut('2026-07-01T01:15:00Z', '2026-07-01T02:00:00Z')).toMatchObject({
      data: { statistics: [{ blocksProduced: null }] },
    });
    expect(await cut('2026-07-01T02:45:00Z', '2026-07-01T04:00:00Z')).toMatchObject({
      data: { statistics: [{ blocksProduced: '0' }] },
    });
    await api.dataSource.query("UPDATE node SET head = 12 WHERE id = 'gap'");
    expect(await producedOf()).toEqual(['3', null, '3', '0', '1', null]);
    expect(await missingOf()).toEqual(['3', null, '3', '0', '2', null]);
    const day = await askFor(
      'filter: {nodes: ["gap"]}, bucket: DAY, from: "2026-07-01T00:00:00Z", to: "2026-07-02T00:00:00Z"',
      'blocksProduced blocksMissing',
    );
    expect(day).toMatchObject({ data: { statistics: [{ blocksProduced: '7', blocksMissing: '5' }] } });
    const last = await askFor(
      'filter: {nodes: ["gap"]}, bucket: DAY, from: "2026-07-01T00:00:00Z", to: "2026-07-01T01:00:00Z"',
      'blocksProduced blocksMissing',
    );
    expect(last).toMatchObject({ data: { statistics: [{ blocksProduced: '3', blocksMissing: '3' }] } });
  });

  it('refuse figures of blocks for too many buckets of chains, and no other figures', async () => {
    const args = 'bucket: HOUR, from: "2025-06-01T00:00:00Z", to: "2026-07-01T00:00:00Z"';
    for (const field of ['blocksProduced', 'pendingAtEnd']) {
      const { errors } = await api.ask(`{ statistics(${args}) { ${field} } }`);
      expect(errors?.[0]?.extensions.code).toBe('TOO_EXPENSIVE');
      expect(errors?.[0]?.message).toContain('limited to 400000 buckets of nodes and chains');
    }
    const { errors } = await api.ask(`{ statistics(${args}) { attempts } }`);
    expect(errors).toBeUndefined();
  });
});
