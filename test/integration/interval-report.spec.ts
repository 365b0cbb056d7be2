import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { HEADER_NAMESPACE } from '../support/record-log.js';
import { randomLog } from '../support/random-log.js';
import { seededRandom } from '../support/seeded-random.js';
import { appendLog } from '../support/append-log.js';
import { insertRows, lossRow } from '../support/read-model-rows.js';
import { SmallLog } from '../support/small-log.js';
import { useApi } from '../support/use-database.js';

const SECOND = 1_000;

const FIGURES = `attempts successes failures sizeBytes feeMin feeMax failedAttempts failedFeeMax coverage
  importedFees recordedFees pricedFees unknownFees longestWithoutSuccessMs holes lostMin lostMax
  causes { cause { code } count first last } claims { claim falseMinMs falseMaxMs }
  blocks { produced included transactions lagP95Ms lagMaxMs delayLimitMs delayed transactionsDelayed mostPending }`;

type Report = Readonly<Record<string, string | number | null>> & {
  readonly causes: readonly { readonly cause: { readonly code: string }; readonly [name: string]: unknown }[];
  readonly blocks: Readonly<Record<string, string | number | null>> | null;
};

const isoOf = (ms: number): string => new Date(SmallLog.START + ms).toISOString();

/** A row as a node sends it. */
interface SentRow {
  readonly blob_size: number;
  readonly timestamp: string;
  readonly status_code: string;
  readonly message?: string;
}

describe('the report of an interval over GraphQL', () => {
  const api = useApi();
  const log = new SmallLog();
  const report = async (from: number, to: number, travel = '', node = 'alpha'): Promise<Report> =>
    (
      await api.read<{ intervalReport: Report }>(
        `{ intervalReport(node: "${node}", from: "${isoOf(from)}", to: "${isoOf(to)}"${travel}) { ${FIGURES} } }`,
      )
    ).intervalReport;
  const sent = (at: number, status: string, message?: string, bytes = 331): string =>
    JSON.stringify({
      height: 0,
      blob_size: bytes,
      timestamp: isoOf(at),
      status_code: status,
      num_blobs: 1,
      namespace: HEADER_NAMESPACE,
      ...(message && { message }),
    });

  beforeAll(async () => {
    log.register('alpha', 'lab-1').describe('alpha', 'lab-1').register('idle', 'lab-2');
    log.now = 10 * SECOND;
    log.blocks('alpha', 'lab-1', [
      { height: 1, headerDa: 5, at: 1 * SECOND },
      { height: 2, headerDa: 6, at: 4 * SECOND },
    ]);
    log.rows('alpha', [
      { da: 5, at: 3 * SECOND },
      { da: 6, at: 6 * SECOND },
    ]);
    log.now = 40 * SECOND;
    log.watch('alpha').blocks('alpha', 'lab-1', [
      { height: 3, headerDa: 7, at: 11 * SECOND },
      { height: 4, headerDa: 9, dataDa: 10, dataBytes: 40, at: 12 * SECOND },
      { height: 5, dataBytes: 40, at: 30 * SECOND },
    ]);
    log.rows('alpha', [
      { da: 7, at: 14 * SECOND },
      sent(15.25 * SECOND, 'Error', 'dial tcp 10.0.0.1: connection refused'),
      sent(16 * SECOND, 'TooBig', undefined, 900),
      sent(17.5 * SECOND, 'Error', 'rpc error: connection refused'),
      { da: 9, at: 22 * SECOND },
      { da: 10, kind: 'data', bytes: 40, at: 23 * SECOND },
      sent(33 * SECOND, 'Error', 'dial tcp 10.0.0.1: connection refused'),
    ]);
    log.now = 60 * SECOND;
    log.watch('alpha');
    await appendLog(api.dataSource, log.events);
    await new RollUp(api.dataSource).run();
    await api.read(
      'mutation { setPrices(chain: "lab-1", entries: [{gasPrice: "0.004"}], confirm: true) { id } }',
    );
  });

  /** The rows of the log whose time lies in an interval, found by reading every event. */
  const rowsBetween = (from: number, to: number): SentRow[] => {
    const found: SentRow[] = [];
    for (const event of log.events) {
      if (event.stream !== 'alpha/submissions' || event.type !== 'SubmissionsObserved') continue;
      for (const text of event.body.rows) {
        const row = JSON.parse(text) as SentRow;
        const at = Date.parse(row.timestamp) - SmallLog.START;
        if (at >= from && at < to) found.push(row);
      }
    }
    return found;
  };

  it.each([
    [0, 60],
    [10, 33],
    [10, 33.001],
    [15.25, 17.5],
    [15.251, 17.501],
  ])('counts the rows from second %s to second %s', async (from, to) => {
    const rows = rowsBetween(from * SECOND, to * SECOND);
    const good = rows.filter((row) => row.status_code === 'Success');
    const told = await report(from * SECOND, to * SECOND);
    expect(told).toMatchObject({
      attempts: String(rows.length),
      successes: String(good.length),
      failures: String(rows.length - good.length),
      failedAttempts: String(rows.length - good.length),
      sizeBytes: String(good.reduce((sum, row) => sum + row.blob_size, 0)),
    });
    const refused = rows.filter((row) => row.message?.includes('connection refused'));
    expect(told.causes.find(({ cause }) => cause.code === 'DA_UNREACHABLE')?.['count']).toBe(
      refused.length === 0 ? undefined : String(refused.length),
    );
  });

  it('shows when each cause came first and last', async () => {
    expect((await report(10 * SECOND, 40 * SECOND)).causes).toEqual([
      {
        cause: { code: 'DA_UNREACHABLE' },
        count: '3',
        first: '2026-11-21T00:00:15.250Z',
        last: '2026-11-21T00:00:33.000Z',
      },
      {
        cause: { code: 'TOO_BIG' },
        count: '1',
        first: '2026-11-21T00:00:16.000Z',
        last: '2026-11-21T00:00:16.000Z',
      },
    ]);
  });

  it('reports blocks as computed by hand: lags of 3 s and 11 s, a limit of twice 2 s, one that waits', async () => {
    const { blocks, longestWithoutSuccessMs } = await report(10 * SECOND, 40 * SECOND);
    expect(blocks).toEqual({
      produced: '3',
      included: '2',
      transactions: '2',
      lagP95Ms: 11_000,
      lagMaxMs: 11_000,
      delayLimitMs: 4_000,
      delayed: '2',
      transactionsDelayed: '2',
      mostPending: '2',
    });
    expect(longestWithoutSuccessMs).toBe('17000');
  });

  it('has the fee of the interval, and an upper bound of the cost of failures, from the sizes of the blobs', async () => {
    // One header blob of one share: 4,096 + 700 + 75,000 gas at 0.004 utia, rounded up: 320.
    expect(await report(13 * SECOND, 15 * SECOND)).toMatchObject({
      feeMin: '320',
      feeMax: '320',
      pricedFees: '1',
      unknownFees: '0',
      failedFeeMax: '0',
    });
    expect((await report(33 * SECOND, 34 * SECOND))['failedFeeMax']).toBe('320');
  });

  it('does not report failures as free if no price is known', async () => {
    const { dataSource } = api;
    const failures = () => report(33 * SECOND, 34 * SECOND);
    expect(await failures()).toMatchObject({ feeMin: '0', feeMax: '0', failedFeeMax: '320' });
    await dataSource.query("UPDATE price SET chain = 'elsewhere' WHERE chain = 'lab-1'");
    expect(await failures()).toMatchObject({ failedAttempts: '1', feeMax: null, failedFeeMax: null });
    await dataSource.query("UPDATE price SET chain = 'lab-1' WHERE chain = 'elsewhere'");
  });

  it('has null, not zero, for a time in which nothing is recorded or monitored', async () => {
    const unknown = { attempts: null, successes: null, failures: null, feeMin: null, feeMax: null };
    const none = {
      ...unknown,
      failedAttempts: null,
      sizeBytes: null,
      longestWithoutSuccessMs: null,
      lostMax: null,
    };
    expect(await report(-90 * SECOND, -60 * SECOND)).toMatchObject({ ...none, blocks: null, coverage: 0 });
    expect(await report(10 * SECOND, 40 * SECOND, '', 'idle')).toMatchObject({ ...none, blocks: null });
  });

  it('has no bounds of missing rows if a part of the time was not monitored', async () => {
    const told = await report(-30 * SECOND, 40 * SECOND);
    expect(told).toMatchObject({ holes: '0', lostMin: '0', lostMax: null });
    expect(told['coverage']).toBeGreaterThan(0);
    expect(await report(10 * SECOND, 40 * SECOND)).toMatchObject({ coverage: 1, lostMax: '0' });
  });

  it('has 0 for a time that was monitored and held nothing', async () => {
    const told = await report(42 * SECOND, 55 * SECOND);
    expect(told).toMatchObject({ attempts: '0', failures: '0', feeMax: '0', coverage: 1, causes: [] });
    expect(told['longestWithoutSuccessMs']).toBe('13000');
  });

  it('contains for a past moment only what lay before it, or was recorded by then', async () => {
    const asOf = await report(10 * SECOND, 40 * SECOND, `, asOf: "${isoOf(16 * SECOND)}"`);
    expect(asOf).toMatchObject({ attempts: '2', failures: '1' });
    expect(asOf.blocks).toMatchObject({ produced: '2', included: '0', lagMaxMs: null, mostPending: '2' });
    // A poll at 40 s saw them included.
    const seen = await report(10 * SECOND, 40 * SECOND, `, asOf: "${isoOf(41 * SECOND)}"`);
    expect(seen.blocks).toMatchObject({ produced: '3', included: '2', lagMaxMs: 11_000 });
    const before = await report(0, 40 * SECOND, ', knownAt: "2000-01-01T00:00:00Z"');
    expect(before).toMatchObject({ attempts: null, blocks: null, causes: [] });
    const now = await report(0, 40 * SECOND);
    expect((await report(0, 40 * SECOND, ', knownAt: "2100-01-01T00:00:00Z"'))['attempts']).toBe(
      now['attempts'],
    );
  });

  it('bounds the number of missing rows by the gaps that overlap it', async () => {
    const { dataSource } = api;
    const day = 86_400 * SECOND;
    const hole = (position: number, from: number, to: number, lost: [number, number | null]) =>
      lossRow(position, {
        node_key: 1,
        kind: 'OVERFLOW',
        from_at: isoOf(from),
        to_at: isoOf(to),
        min_lost: lost[0],
        max_lost: lost[1],
        to_position: null,
      });
    await insertRows(dataSource, 'loss', [
      hole(90_001, 2 * day, 2 * day + 10 * SECOND, [3, 5]),
      hole(90_002, 2 * day + 20 * SECOND, 2 * day + 40 * SECOND, [7, 9]),
      hole(90_003, 3 * day, 3 * day + SECOND, [1, null]),
    ]);
    const told = async (from: number, to: number) => {
      const { holes, lostMin, lostMax } = await report(2 * day + from, 2 * day + to);
      return [holes, lostMin, lostMax];
    };
    expect(await told(0, 30 * SECOND)).toEqual(['2', '3', '14']);
    expect(await told(0, 40 * SECOND)).toEqual(['2', '10', '14']);
    // Gaps that only touch this time do not count, and it was not monitored.
    expect(await told(10 * SECOND, 20 * SECOND)).toEqual(['0', '0', null]);
    expect(await told(0, day + SECOND)).toEqual(['3', '11', null]);
  });

  it('refuses an invalid range, a range that is too long, and an unknown node', async () => {
    const ask = (node: string, from: number, to: number) =>
      api.codesOf(
        `{ intervalReport(node: "${node}", from: "${isoOf(from)}", to: "${isoOf(to)}") { attempts } }`,
      );
    expect(await ask('alpha', 5, 5)).toEqual(['BAD_USER_INPUT']);
    expect(await ask('alpha', 0, 31 * 86_400_000)).toEqual([]);
    expect(await ask('alpha', 0, 31 * 86_400_000 + 1)).toEqual(['TOO_EXPENSIVE']);
    expect(await ask('nobody', 0, 1)).toEqual(['NOT_FOUND']);
  });
});

const SEEDS = Array.from({ length: Number(process.env['RANDOM_LOGS'] ?? 1) }, (_, index) => index + 1);

describe.each(SEEDS)('the report of a whole hour of synthetic log %s', (seed) => {
  const api = useApi();
  const NAMES = 'attempts successes failures sizeBytes';
  const COSTS = 'feeMin feeMax failedAttempts failedFeeMax';

  it('agrees with the hourly statistics and costs', async () => {
    await appendLog(api.dataSource, randomLog(seededRandom(seed), 200, { pace: 60 }));
    await insertRows(api.dataSource, 'price', [
      {
        chain: 'made-up',
        subject: 'GAS_PRICE',
        effective_from: '-infinity',
        value: { utia: '0.004' },
        source: 'settings',
        recorded_at: '2026-01-01T00:00:00Z',
        from_position: 1,
      },
    ]);
    await new RollUp(api.dataSource).run();
    const { nodes } = await api.read<{ nodes: { id: string }[] }>('{ nodes { id } }');
    let [compared, priced] = [0, 0];
    for (const { id } of nodes) {
      const asked = `filter: { nodes: ["${id}"] }, bucket: HOUR`;
      const told = await api.read<Record<'statistics' | 'costReport', Record<string, string | null>[]>>(
        `{ statistics(${asked}) { time ${NAMES} } costReport(${asked}) { time ${COSTS} } }`,
      );
      for (const [index, { time, ...figures }] of told.statistics.entries()) {
        const { time: sameTime, ...costs } = told.costReport[index] ?? {};
        expect(sameTime).toBe(time);
        if (costs['feeMax'] !== null && costs['feeMax'] !== '0') priced += 1;
        const to = new Date(Date.parse(time ?? '') + 3_600_000).toISOString();
        const { intervalReport } = await api.read<{ intervalReport: object }>(
          `{ intervalReport(node: "${id}", from: "${time}", to: "${to}") { ${NAMES} ${COSTS} } }`,
        );
        expect([id, time, intervalReport]).toEqual([id, time, { ...figures, ...costs }]);
        compared += 1;
      }
    }
    expect([compared, priced]).toEqual([9, 5]);
  });
});
