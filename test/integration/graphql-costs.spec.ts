import { formatTime, microsToNanos } from '../../src/domain/time.js';
import type { NewEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { insertRows, noteAllRead } from '../support/read-model-rows.js';
import { everyHour, StatisticsWorld } from '../support/statistics-world.js';
import { useApi } from '../support/use-database.js';

/** In the afternoon of 10 April. */
const clock = new ManualClock(Date.UTC(2026, 3, 10, 12));

type Row = Record<string, unknown>;

/*
 * Every figure here is computed by hand from the formula of Celestia:
 *   gas = shares x 512 x 8 + 700 x blobs + 75,000
 *   one header blob of one share: 4,096 + 700 + 75,000 = 79,796 gas
 *   at 0.004 utia: 319.184, rounded up 320; at 0.002: 159.592, so 160
 */
describe('the cost report over GraphQL', () => {
  const api = useApi({ clock });
  let world: StatisticsWorld;
  /** The times after the first event and after the last. */
  const times: string[] = [];

  const rowsOf = async (args: string, fields: string): Promise<Row[]> =>
    (await api.read<{ costReport: Row[] }>(`{ costReport(${args}) { ${fields} } }`)).costReport;

  beforeAll(async () => {
    world = new StatisticsWorld(api.dataSource);
    await world.addNodes();
    await addJanuary();
    await addFebruary();
    await addSpring();
    await addLateNews();
    await world.rollUp();
  });

  /** On the chain without settings, whose days are in UTC: each way in which a fee can be known or unknown. */
  async function addJanuary(): Promise<void> {
    const on = (day: number, more = {}): Promise<void> =>
      world.addSubmissions(4, [`2026-01-${String(day).padStart(2, '0')}T12:00:00Z`], more);
    await world.addPrice('plain-1', 'GAS_PRICE', '2026-01-03T00:00:00Z', { utia: '0.004' });
    await world.addPrice('plain-1', 'GAS_PRICE', '2026-01-04T00:00:00Z', { utia: '0.002' });
    await world.addPrice('plain-1', 'FIAT_RATE', '2026-01-03T00:00:00Z', { unit: 'EUR', perTia: '2' });
    await world.addPrice('plain-1', 'FIAT_RATE', '2026-01-06T00:00:00Z', { unit: 'USD', perTia: '4' });
    // 1: no price applies yet; on 2 one of two has a gas price of its own.
    await on(1);
    await on(2);
    await on(2, { gas_price: '0.01' });
    // 3 and 4: by the price book, before and after it changes.
    await on(3);
    await on(4);
    // 5: imported, recorded and priced together, with a separate failure and one that landed.
    await insertRows(api.dataSource, 'imported_fee', [
      {
        chain: 'plain-1',
        da_height: 500,
        namespace: '',
        ordinal: 1,
        fee_utia: '1000',
        tx_hash: null,
        source: 'explorer.csv',
        from_position: 1,
      },
    ]);
    await on(5, { da_height: 500 });
    await on(5, { da_height: 501, gas_price: '0.01' });
    await on(5, { da_height: 502 });
    await on(5, { da_height: 503, status: 5, evidence: 1 });
    await on(5, { da_height: null, status: 6, evidence: 0 });
    await on(5, {
      da_height: null,
      status: 6,
      evidence: 0,
      blob_count: null,
      size_bytes: null,
      shares: null,
      signed_shares: null,
    });
    // 6: a batch whose blob sizes are not known individually: 3 blobs of 1,500 bytes are at least 4 shares, at most 6.
    await on(6, { blob_count: 3, size_bytes: 1500, shares: null, signed_shares: null });
    // 7: a submission that no block points to.
    await on(7, { evidence: 3 });
    await on(7);
    // 8: data of 2 shares next to a header.
    await on(8, { kind: 1, namespace_key: 2, size_bytes: 600, shares: 2, signed_shares: 2 });
    await on(8);
    // 9: a single failure.
    await on(9, { da_height: null, status: 6, evidence: 0 });
  }

  /** Blocks on one day of February: two that are included, with three transactions, and one that is not. */
  async function addFebruary(): Promise<void> {
    const block = { lineage_key: 3, header_da_height: 600, data_da_height: 600 };
    await world.addBlocks(4, 1, ['2026-02-01T10:00:00Z'], { ...block, tx_count: 3, tx_bytes: 90 });
    await world.addBlocks(4, 2, ['2026-02-01T10:01:00Z'], block);
    await world.addBlocks(4, 3, ['2026-02-01T10:02:00Z'], { lineage_key: 3, tx_count: 1 });
    await world.addSubmissions(4, ['2026-02-01T11:00:00Z'], { da_height: 600, size_bytes: 300 });
  }

  /** Kolkata: a header each hour from 20 March to 10 April, monitored throughout, at one price. */
  async function addSpring(): Promise<void> {
    await world.addPrice('kolkata-1', 'GAS_PRICE', null, { utia: '0.004' });
    await world.addSubmissions(3, everyHour('2026-03-19T18:30:00Z', '2026-04-10T12:00:00Z'));
    await world.addCoverage('k1', '2026-03-19T18:30:00Z', '2026-04-10T12:00:00Z');
  }

  /** As many events as the rows name, the first recorded some time before the others; and a corrected price. */
  async function addLateNews(): Promise<void> {
    const store = new EventStore(api.dataSource);
    const event = {
      type: 'PriceSet' as const,
      observedAt: clock.now(),
      body: { entries: [], source: 'test' },
    };
    for (const [expectedVersion, count] of [
      [0n, 1],
      [1n, 999],
    ] as const) {
      const events = Array.from({ length: count }, () => event as never);
      await store.append({ stream: 'plain-1/operator', expectedVersion, events });
      const [row] = await api.dataSource.query<{ at: bigint }[]>('SELECT clock_timestamp() AS at');
      times.push(formatTime(microsToNanos(row?.at ?? 0n), 3));
      await api.dataSource.query('SELECT pg_sleep(0.05)');
    }
    // Polls report what the nodes covered.
    const look = { first: clock.now(), last: clock.now(), count: 1, longestGapMs: 0 };
    for (const node of ['p1', 'k1']) {
      const watched = {
        type: 'NodeWatched',
        observedAt: clock.now(),
        body: { looks: { submissions: look } },
      };
      await store.append({ stream: `${node}/node`, expectedVersion: 0n, events: [watched as NewEvent] });
    }
    await world.addSubmissions(1, ['2026-01-15T12:00:00Z']);
    await world.addPrice('berlin-1', 'GAS_PRICE', null, { utia: '0.004' }, { to_position: 2 });
    await world.addPrice('berlin-1', 'GAS_PRICE', null, { utia: '0.002' }, { from_position: 2 });
    await noteAllRead(api.dataSource);
  }

  const day = (of: number): string =>
    `filter: {chains: ["plain-1"]}, bucket: DAY, from: "2026-01-0${of}T00:00:00Z", to: "2026-01-0${of}T23:59:00Z"`;
  const FEES = 'submissions gasMin gasMax feeMin feeMax knownFeeMax';
  const SHARES = 'importedShare recordedShare pricedShare unknownShare';

  it('knows gas without a price, and leaves the fee unknown', async () => {
    expect(await rowsOf(day(1), `${FEES} feeMaxFloat feeUnit ${SHARES} fiatMin fiatUnit`)).toEqual([
      {
        submissions: '1',
        gasMin: '79796',
        gasMax: '79796',
        feeMin: null,
        feeMax: null,
        knownFeeMax: null,
        feeMaxFloat: null,
        feeUnit: 'utia',
        importedShare: 0,
        recordedShare: 0,
        pricedShare: 0,
        unknownShare: 1,
        fiatMin: null,
        fiatUnit: null,
      },
    ]);
  });

  it('gives a lower bound of the fee and no upper bound if a part is unknown', async () => {
    // 79,796 x 0.01 = 797.96
    expect(await rowsOf(day(2), `${FEES} ${SHARES}`)).toMatchObject([
      {
        submissions: '2',
        gasMax: '159592',
        feeMin: '798',
        feeMax: null,
        knownFeeMax: '798',
        recordedShare: 0.5,
        unknownShare: 0.5,
      },
    ]);
  });

  it('prices each submission by the entry of the book that applied at its time', async () => {
    expect(await rowsOf(day(3), 'feeMin feeMax feeMaxFloat pricedShare')).toEqual([
      { feeMin: '320', feeMax: '320', feeMaxFloat: 320, pricedShare: 1 },
    ]);
    expect(await rowsOf(day(4), 'feeMin feeMax')).toEqual([{ feeMin: '160', feeMax: '160' }]);
  });

  it('prefers imported fees to recorded gas prices, and those to the book, and keeps failures apart', async () => {
    // 1,000 imported + 798 recorded + 160 for each of the two that are priced; at most 320 for the failure that can be read.
    expect(await rowsOf(day(5), `${FEES} landed failedAttempts failedFeeMax ${SHARES}`)).toEqual([
      {
        submissions: '4',
        landed: '1',
        gasMin: String(4 * 79_796),
        gasMax: String(4 * 79_796),
        feeMin: '2118',
        feeMax: '2118',
        knownFeeMax: '2118',
        failedAttempts: '2',
        failedFeeMax: null,
        importedShare: 0.25,
        recordedShare: 0.25,
        pricedShare: 0.5,
        unknownShare: 0,
      },
    ]);
    expect(await rowsOf(day(9), `${FEES} failedAttempts failedFeeMax failedFeeMaxFloat ${SHARES}`)).toEqual([
      {
        submissions: '0',
        gasMin: '0',
        gasMax: '0',
        feeMin: '0',
        feeMax: '0',
        knownFeeMax: '0',
        failedAttempts: '1',
        failedFeeMax: '160',
        failedFeeMaxFloat: 160,
        importedShare: 0,
        recordedShare: 0,
        pricedShare: 0,
        unknownShare: 0,
      },
    ]);
  });

  it('reports the cost of each submission, and the source of that cost', async () => {
    const cost = 'cost { gasMin gasMax feeMin feeMax feeMinFloat feeUnit feeBasis fiatMin fiatMax fiatUnit }';
    const { submissions } = await api.read<{
      submissions: { nodes: { status: string; cost: Row | null }[] };
    }>(
      `{ submissions(filter: {chains: ["plain-1"], from: "2026-01-05T00:00:00Z", to: "2026-01-07T00:00:00Z"}, first: 20) { nodes { status ${cost} } } }`,
    );
    const costs = submissions.nodes.map((row) => row.cost).filter((each) => each !== null);
    // Failed attempts that did not land have no cost.
    expect(submissions.nodes.filter((row) => row.cost === null).map(({ status }) => status)).toEqual([
      'ERROR',
      'ERROR',
    ]);
    expect(costs.map((each) => String(each['feeBasis'])).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'IMPORTED',
      'PRICED',
      'PRICED',
      'PRICED',
      'RECORDED',
    ]);
    expect(costs).toContainEqual({
      gasMin: '79796',
      gasMax: '79796',
      feeMin: '1000',
      feeMax: '1000',
      feeMinFloat: 1000,
      feeUnit: 'utia',
      feeBasis: 'IMPORTED',
      fiatMin: '0.002',
      fiatMax: '0.002',
      fiatUnit: 'EUR',
    });
    // The sizes of its three blobs are not known individually.
    expect(costs).toContainEqual(
      expect.objectContaining({
        gasMin: '93484',
        gasMax: '101676',
        feeMin: '187',
        feeMax: '204',
        fiatUnit: 'USD',
      }),
    );
    const day5 = submissions.nodes.flatMap((row) => (row.cost?.['fiatUnit'] === 'EUR' ? [row.cost] : []));
    const [told] = await rowsOf(day(5), FEES);
    expect(day5.reduce((sum, each) => sum + Number(each['feeMin']), 0)).toBe(Number(told?.['feeMin']));
  });

  it('has the same costs in files that name their columns', async () => {
    const answer = await fetch(
      `${api.url}/export/submissions.ndjson?chains=plain-1&from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z&columns=id,fee_min_utia,fee_basis,fiat_max,fiat_unit,gas_max`,
    );
    const rows = (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    const { submissions } = await api.read<{ submissions: { nodes: { id: string; cost: Row | null }[] } }>(
      `{ submissions(filter: {chains: ["plain-1"], from: "2026-01-05T00:00:00Z", to: "2026-01-06T00:00:00Z"}) { nodes { id cost { feeMin feeBasis fiatMax fiatUnit gasMax } } } }`,
    );
    const number = (value: unknown): number | null => (typeof value === 'string' ? Number(value) : null);
    const told = submissions.nodes.map(({ id, cost }) => ({
      id,
      fee_min_utia: number(cost?.['feeMin']),
      fee_basis: cost?.['feeBasis'] ?? null,
      gas_max: number(cost?.['gasMax']),
      fiat_max: number(cost?.['fiatMax']),
      fiat_unit: cost?.['fiatUnit'] ?? null,
    }));
    const byId = (a: { id?: unknown }, b: { id?: unknown }): number =>
      String(a.id).localeCompare(String(b.id));
    expect(told).toHaveLength(6);
    expect(rows.sort(byId)).toEqual(told.sort(byId));
  });

  it('returns the cost of a submission as it was known at a past time', async () => {
    const ask = async (knownAt: string): Promise<unknown> =>
      api.read(
        `{ submissions(filter: {chains: ["berlin-1"]}, first: 1${knownAt}) { nodes { cost { feeMin } } } }`,
      );
    const of = (feeMin: string): object => ({ submissions: { nodes: [{ cost: { feeMin } }] } });
    expect(await ask('')).toEqual(of('160'));
    expect(await ask(`, knownAt: "${times[0]}"`)).toEqual(of('320'));
  });

  it('knows no cost of a time in which nothing is recorded or monitored', async () => {
    const nothing =
      'coverage submissions gasMax feeMin feeMinFloat feeMax feeMaxFloat failedFeeMax wastedFeeMax';
    const [row] = await rowsOf(
      'filter: {chains: ["plain-1"]}, bucket: MONTH, from: "2025-11-01T00:00:00Z", to: "2025-12-01T00:00:00Z"',
      `${nothing} fiatMin fiatMax fiatMaxFloat fiatUnit`,
    );
    expect(row).toEqual({
      coverage: 0,
      submissions: null,
      gasMax: null,
      feeMin: null,
      feeMinFloat: null,
      feeMax: null,
      feeMaxFloat: null,
      failedFeeMax: null,
      wastedFeeMax: null,
      fiatMin: null,
      fiatMax: null,
      fiatMaxFloat: null,
      fiatUnit: null,
    });
  });

  it('is zero where a time was monitored and nothing was submitted', async () => {
    const [row] = await rowsOf(
      'filter: {chains: ["kolkata-1"], statuses: [TOO_BIG]}, bucket: DAY, from: "2026-03-20T18:30:00Z", to: "2026-03-21T18:30:00Z"',
      'coverage submissions gasMax feeMin feeMax failedAttempts',
    );
    expect(row).toEqual({
      coverage: 1,
      submissions: '0',
      gasMax: '0',
      feeMin: '0',
      feeMax: '0',
      failedAttempts: '0',
    });
  });

  it('gives rows of failed attempts alone no fee when rows are grouped by status', async () => {
    const told = 'status submissions gasMin feeMin feeMax fiatMin failedAttempts failedFeeMax';
    const [row] = await rowsOf(`${day(9)}, groupBy: [STATUS]`, told);
    const none = { submissions: '0', gasMin: null, feeMin: null, feeMax: null, fiatMin: null };
    expect(row).toMatchObject({ ...none, failedAttempts: '1', failedFeeMax: '160' });
  });

  it('gives bounds where the blob sizes are not known individually', async () => {
    const [row] = await rowsOf(day(6), FEES);
    // 4 to 6 shares: 16,384 to 24,576 + 2,100 + 75,000.
    expect(row).toMatchObject({ gasMin: '93484', gasMax: '101676', feeMin: '187', feeMax: '204' });
  });

  it('shows the fees that were wasted', async () => {
    expect(await rowsOf(day(7), 'submissions feeMin unreferenced wastedFeeMin wastedFeeMax')).toEqual([
      { submissions: '2', feeMin: '320', unreferenced: '1', wastedFeeMin: '160', wastedFeeMax: '160' },
    ]);
    expect(await rowsOf(day(4), 'unreferenced wastedFeeMin wastedFeeMax')).toEqual([
      { unreferenced: '0', wastedFeeMin: '0', wastedFeeMax: '0' },
    ]);
  });

  it('splits the fee into headers and data', async () => {
    // Data: 8,192 + 700 + 75,000 = 83,892 gas, 167.784 utia, so 168; of 328 together.
    const [row] = await rowsOf(day(8), 'feeMax headerShare dataShare');
    expect(row).toEqual({ feeMax: '328', headerShare: 160 / 328, dataShare: 168 / 328 });
    expect(await rowsOf(`${day(8)}, groupBy: [KIND]`, 'kind feeMax')).toEqual([
      { kind: 'HEADER', feeMax: '160' },
      { kind: 'DATA', feeMax: '168' },
    ]);
    // There is no fee by gas.
    expect(await rowsOf(day(1), 'headerShare dataShare')).toEqual([{ headerShare: 1, dataShare: 0 }]);
  });

  it('converts by the rate of the time, and never across currencies', async () => {
    // 320 utia at 2 EUR a TIA.
    expect(await rowsOf(day(3), 'fiatMin fiatMax fiatUnit fiatMaxFloat')).toEqual([
      { fiatMin: '0.00064', fiatMax: '0.00064', fiatUnit: 'EUR', fiatMaxFloat: 0.00064 },
    ]);
    const from2 = 'bucket: YEAR, from: "2026-01-02T00:00:00Z"';
    const plain = 'filter: {chains: ["plain-1"]}';
    expect(
      await rowsOf(`${plain}, ${from2}, to: "2026-01-04T00:00:00Z"`, 'fiatMin fiatMax fiatUnit'),
    ).toEqual([{ fiatMin: '0.00064', fiatMax: null, fiatUnit: 'EUR' }]);
    expect(
      await rowsOf(`${plain}, ${from2}, to: "2026-01-08T00:00:00Z"`, 'fiatMin fiatMax fiatUnit'),
    ).toEqual([{ fiatMin: null, fiatMax: null, fiatUnit: null }]);
  });

  it('divides the fee by blocks, transactions and megabytes', async () => {
    const february =
      'filter: {chains: ["plain-1"]}, bucket: MONTH, from: "2026-02-01T00:00:00Z", to: "2026-03-01T00:00:00Z"';
    const fields =
      'feePerBlockMin feePerBlockMax feePerTransactionMax feePerMegabyteMin feePerMegabyteMaxFloat';
    // 160 utia for 2 included blocks with 3 transactions and 300 bytes.
    expect(await rowsOf(february, fields)).toEqual([
      {
        feePerBlockMin: '80',
        feePerBlockMax: '80',
        feePerTransactionMax: '53.333333',
        feePerMegabyteMin: '533333.333333',
        feePerMegabyteMaxFloat: 533_333.333333,
      },
    ]);
    expect(await rowsOf(`${february}, groupBy: [KIND]`, fields)).toMatchObject([
      { feePerBlockMin: null, feePerTransactionMax: null, feePerMegabyteMin: '533333.333333' },
    ]);
  });

  it('reports the change from the previous bucket, even before the first one, but not from an unknown value', async () => {
    const days =
      'filter: {chains: ["plain-1"]}, bucket: DAY, from: "2026-01-02T00:00:00Z", to: "2026-01-05T00:00:00Z"';
    expect((await rowsOf(days, 'changeToPrevious')).map((row) => row['changeToPrevious'])).toEqual([
      null,
      null,
      -0.5,
    ]);
    expect(await rowsOf(day(4), 'changeToPrevious')).toEqual([{ changeToPrevious: -0.5 }]);
    const cut =
      'filter: {chains: ["plain-1"]}, bucket: DAY, from: "2026-01-03T11:00:00Z", to: "2026-01-05T00:00:00Z"';
    expect((await rowsOf(cut, 'changeToPrevious')).map((row) => row['changeToPrevious'])).toEqual([
      null,
      null,
    ]);
  });

  it('forecasts the current month from its last days, and no other month', async () => {
    const rows = await rowsOf(
      'filter: {chains: ["kolkata-1"]}, bucket: MONTH',
      'time feeMax forecastLow forecastExpected forecastHigh forecastHighFloat changeToPrevious',
    );
    // April in Kolkata has 30 days of 24 submissions; 9 days and 17.5 hours of it have passed, with 234 submissions.
    const spent = 234 * 320;
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      feeMax: String(12 * 24 * 320),
      forecastLow: null,
      forecastExpected: null,
    });
    expect(rows[1]).toMatchObject({ feeMax: String(spent), changeToPrevious: null });
    const expected = spent + (30 - (9 + 17.5 / 24)) * 24 * 320;
    for (const name of ['forecastLow', 'forecastExpected', 'forecastHigh'])
      expect(Number(rows[1]?.[name])).toBeCloseTo(expected, 3);
  });

  it('prices the whole time at the prices of one moment', async () => {
    const january =
      'filter: {chains: ["plain-1"]}, bucket: DAY, from: "2026-01-01T00:00:00Z", to: "2026-01-06T00:00:00Z"';
    const rows = await rowsOf(
      `${january}, pricesAsOf: "2026-01-03T12:00:00Z"`,
      `feeMin feeMax fiatUnit pricedShare`,
    );
    expect(rows).toEqual([
      { feeMin: '320', feeMax: '320', fiatUnit: 'EUR', pricedShare: 1 },
      { feeMin: '1118', feeMax: '1118', fiatUnit: 'EUR', pricedShare: 0.5 },
      { feeMin: '320', feeMax: '320', fiatUnit: 'EUR', pricedShare: 1 },
      { feeMin: '320', feeMax: '320', fiatUnit: 'EUR', pricedShare: 1 },
      // The imported fee and the recorded gas price stay.
      { feeMin: '2438', feeMax: '2438', fiatUnit: 'EUR', pricedShare: 0.5 },
    ]);
  });

  it('computes from the submissions themselves, at the prices that apply, the same figures as the buckets', async () => {
    for (const [args, fields] of [
      [
        'filter: {chains: ["plain-1"]}, bucket: MONTH, groupBy: [NAMESPACE, KIND, STATUS]',
        'namespace kind status',
      ],
      [
        'filter: {chains: ["plain-1", "kolkata-1"]}, bucket: WEEK, timeZone: "UTC", groupBy: [CHAIN]',
        'chain',
      ],
      ['filter: {nodes: ["p1"], kinds: [HEADER]}, bucket: DAY, groupBy: [NODE]', 'node'],
    ] as const) {
      const all = `time ${fields} ${FEES} ${SHARES} fiatMin fiatMax failedAttempts failedFeeMax wastedFeeMax headerShare coverage`;
      const now = `knownAt: "2030-01-01T00:00:00Z"`;
      expect(await rowsOf(`${args}, ${now}`, all)).toEqual(await rowsOf(args, all));
    }
  });

  it('uses for a past time the rows and prices that were recorded by then', async () => {
    // Submission 1 of the node was recorded by the first event, number 2 by the second.
    const known = (at: string | undefined): Promise<Row[]> =>
      rowsOf(
        `filter: {chains: ["plain-1"]}, bucket: YEAR, timeZone: "UTC", from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z", knownAt: "${at}"`,
        'submissions feeMin',
      );
    expect(await known('2020-01-01T00:00:00Z')).toEqual([{ submissions: null, feeMin: null }]);
    expect(await known(times[0])).toEqual([{ submissions: '1', feeMin: null }]);
    expect(await known(times[1])).toMatchObject([{ submissions: '14' }]);
    const berlin = 'filter: {chains: ["berlin-1"]}, bucket: YEAR';
    expect(await rowsOf(`${berlin}, knownAt: "${times[0]}"`, 'feeMax')).toEqual([{ feeMax: '320' }]);
    expect(await rowsOf(`${berlin}, knownAt: "${times[1]}"`, 'feeMax')).toEqual([{ feeMax: '160' }]);
    expect(await rowsOf(berlin, 'feeMax')).toEqual([{ feeMax: '160' }]);
  });

  it('uses for a past time no later polls, and covers no time after it', async () => {
    const ask = (knownAt: string): Promise<Row[]> =>
      rowsOf(
        `filter: {nodes: ["k1"]}, bucket: MONTH, timeZone: "UTC", from: "2026-03-01T00:00:00Z", to: "2026-04-01T00:00:00Z", knownAt: "${knownAt}"`,
        'submissions coverage',
      );
    expect(await ask('2026-03-20T00:00:00Z')).toEqual([{ submissions: null, coverage: 0 }]);
    expect(await ask(times[1] ?? '')).toMatchObject([{ coverage: 0 }]);
    const [row] = await ask('2030-01-01T00:00:00Z');
    expect(row?.['coverage']).toBeCloseTo(0.394_489_25, 8);
  });

  it('refuses to recompute prices for more buckets than fit into one computation', async () => {
    // Only time about which something is known is computed at all.
    await world.addCoverage('k1', '2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z');
    const hours = 'bucket: HOUR, from: "2025-06-01T00:00:00Z", to: "2026-06-01T00:00:00Z"';
    const { errors } = await api.ask(
      `{ costReport(${hours}, pricesAsOf: "2026-01-01T00:00:00Z") { feeMax } }`,
    );
    expect(errors?.[0]).toMatchObject({
      extensions: { code: 'TOO_EXPENSIVE' },
      message: expect.stringContaining('longer buckets or fewer chains') as unknown,
    });
  });

  it('limits how many reports one request may ask for', async () => {
    const many = Array.from({ length: 50 }, (_, index) => `r${index}: costReport(bucket: YEAR) { time }`);
    expect(await api.codesOf(`{ ${many.join(' ')} }`)).toEqual(['TOO_EXPENSIVE']);
  });
});
