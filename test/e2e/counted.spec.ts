import type { DataSource } from 'typeorm';
import { setTimeout as sleep } from 'node:timers/promises';
import { bringInYear, YEAR_CHAIN } from '../../src/cli/demo-year.js';
import { createDataSource } from '../../src/platform/database.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ServiceHome, type ServiceProcess } from '../support/service-process.js';

type Row = Readonly<Record<string, unknown>>;
/** Rows by query. */
type Sample = Readonly<Record<string, readonly Row[]>>;

const SAMPLE_EVERY_MS = 500;
const DAY = 86_400_000;
const MONTHS_6 = 180 * DAY;
const KEYS = ['time', 'period', 'chain', 'node', 'namespace', 'kind', 'status'];
/** Columns with upper bounds of the truth. */
const UPPER = /^(?!gas_?price).*(?:shares|gas|fee|Fee|fiat|Fiat)_?(?:max|Max)|Per[A-Z]\w+M(?:in|ax)$|_per_/;
/** Columns that also need other buckets or blocks, and are null without them. */
const OF_OTHERS = /^forecast|^change|^blocks|^transaction|AtEnd$|_at_end$|Per[A-Z]\w+M(?:in|ax)$|_per_/;
/** Columns that only grow with more rows. */
const LOWER =
  /^(?:attempts|successes|failures|reconstructed|blob_?[cC]ount|size_?[bB]ytes|bytes|submissions|gas_?[mM]in|fee_?[mM]in\w*|blocks\w*|transaction\w*|failed_?[aA]ttempts)$/;

const STATISTICS = `time node chain kind status coverage counted decided attempts successes failures reconstructed undecided landed
  unreferenced unreadable blobCount sizeBytes sharesMin sharesMax successRate averageBlobBytes inclusionLagMs { p50 max count }
  gasPriceMin gasPriceMax blocksProduced blocksIncluded transactions pendingAtEnd inclusionFrontierAtEnd holes provenLost likelyLost`;
const COSTS = `time node chain kind coverage counted decided submissions gasMin gasMax feeMin feeMax knownFeeMax fiatMin fiatMax failedAttempts
  failedFeeMax wastedFeeMax importedShare pricedShare feePerBlockMin feePerMegabyteMax changeToPrevious`;

describe('half a year of an imported log', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let dataSource: DataSource;
  let service: ServiceProcess;
  const now = Date.now();
  const [from, to] = [monthOf(now - MONTHS_6), monthOf(now + 32 * DAY)];
  const end = new Date(now - 60_000).toISOString();

  beforeAll(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
    await bringInYear(dataSource, now);
  });

  afterAll(async () => {
    await home.clear();
    await dataSource.destroy();
    await database.stop();
  });

  it('is queried from the first moment, and never reports a figure as known that differs at the end', async () => {
    const samples: Sample[] = [];
    const early = await ofViews();
    service = home.launch(['start', '--role', 'archive', '--port', '0'], { databaseUrl: database.url });
    await service.ready;
    const { address } = service;
    const report = home.run(reportArgs(), { databaseUrl: database.url });
    let isSettled = false;
    while (!isSettled) {
      isSettled = await isCounted();
      samples.push(await sampleOf(address));
      await sleep(SAMPLE_EVERY_MS);
    }
    const final = samples.at(-1) ?? {};
    const told = await report;
    samples.unshift(early);
    samples.push({ report: rowsOfReport(told.out) });
    const again = await home.runHere(reportArgs(), database.url);
    const truth: Sample = { ...final, report: rowsOfReport(again.out) };
    expect(again.code).toBe(0);

    expect(samples.flatMap((sample) => faultsOf(sample, truth))).toEqual([]);
    // Samples were taken while nothing, a part and everything was counted.
    const counted = samples.map(
      ({ byMonth = [] }) => byMonth.filter((row) => row['counted'] === true).length,
    );
    expect(counted).toContain(0);
    expect(counted.at(-2)).toBe(truth['byMonth']?.length);
    expect(truth['byMonth']?.some(({ attempts }) => Number(attempts) > 100)).toBe(true);
    // A report was complete, or its exit code said otherwise.
    expect([told.code, rowsOfReport(told.out).every((row) => row['counted'])]).toEqual(
      told.code === 0 ? [0, true] : [1, false],
    );
  });

  const reportArgs = () => ['report', '--chain', YEAR_CHAIN, '--format', 'json', '--from', from.slice(0, 7)];

  async function isCounted(): Promise<boolean> {
    const [row] = await dataSource.query<{ late: boolean; counted: boolean }[]>(
      `SELECT late, counted FROM reporting.unread
        WHERE read_position = log_position AND EXISTS (SELECT FROM statistic)`,
    );
    return row?.late === false && row.counted;
  }

  async function sampleOf(url: string): Promise<Sample> {
    return { ...(await ofGraphql(url)), ...(await ofFiles(url)), ...(await ofViews()) };
  }

  async function ofGraphql(url: string): Promise<Sample> {
    const chain = `from: "${from}", to: "${to}", filter: { chains: ["${YEAR_CHAIN}"] }`;
    const lists =
      '{ nodes { id } submissions(first: 3, order: OCCURRED_ASC) { nodes { id } } losses(first: 50) { nodes { id } } }';
    const questions = [
      `{ byMonth: statistics(bucket: MONTH, ${chain}) { ${STATISTICS} }
         byWeek: statistics(bucket: WEEK, timeZone: "Asia/Kathmandu", ${chain}) { ${STATISTICS} }
         byStatus: statistics(bucket: MONTH, groupBy: [CHAIN, STATUS], ${chain}) { ${STATISTICS} }
         byNode: statistics(bucket: MONTH, groupBy: [NODE], ${chain}) { ${STATISTICS} }
         cut: statistics(bucket: MONTH, asOf: "${end}", ${chain}) { ${STATISTICS} } }`,
      `{ costs: costReport(bucket: MONTH, ${chain}) { ${COSTS} }
         costsByKind: costReport(bucket: MONTH, groupBy: [CHAIN, KIND], ${chain}) { ${COSTS} } }`,
      `{ costsAsOf: costReport(bucket: MONTH, pricesAsOf: "${end}", ${chain}) { ${COSTS} } }`,
      `{ known: statistics(bucket: MONTH, knownAt: "${end}", ${chain}) { ${STATISTICS} } }`,
      lists,
    ];
    const sample: Record<string, readonly Row[]> = {};
    for (const query of questions) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const { data, errors, extensions } = (await response.json()) as {
        data: Record<string, readonly Row[] | { readonly nodes: readonly Row[] }>;
        errors?: unknown;
        extensions: Row;
      };
      expect(errors).toBeUndefined();
      for (const [name, list] of Object.entries(data)) {
        const rows = 'nodes' in list ? list.nodes : list;
        const isRead = extensions['unread'] === undefined;
        // A list counts as one row: the answer says whether it is complete.
        sample[name] = query === lists ? [{ list: rows, counted: isRead }] : withUnread(rows, isRead);
      }
    }
    return sample;
  }

  async function ofFiles(url: string): Promise<Sample> {
    const read = async (name: string): Promise<Row[]> => {
      const question = `bucket=MONTH&chains=${YEAR_CHAIN}&from=${from}&to=${to}`;
      const response = await fetch(`${url}/export/${name}.ndjson?${question}`);
      const lines = (await response.text()).trim().split('\n');
      const rows = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
      return withUnread(rows, response.headers.get('x-hindsight-unread-events') === null);
    };
    return { file: await read('statistics'), costFile: await read('costs') };
  }

  async function ofViews(): Promise<Sample> {
    const sample: Record<string, readonly Row[]> = {};
    const whole = await dataSource.query<Row[]>('SELECT counted FROM reporting.unread');
    for (const view of [
      'statistics_monthly',
      'cost_daily',
      'node_cost_monthly',
      'block_statistics_monthly',
    ]) {
      const rows = await dataSource.query<Row[]>(
        `SELECT * FROM reporting.${view} WHERE chain = '${YEAR_CHAIN}'`,
      );
      sample[view] = withUnread(rows.map(plain), whole[0]?.['counted'] === true);
    }
    return sample;
  }
});

/** An answer that leaves rows unread says so; an uncounted row then represents the missing rows. */
function withUnread(rows: readonly Row[], isRead: boolean): Row[] {
  return isRead ? [...rows] : [...rows, { counted: false }];
}

/** The start of the UTC month of a time. */
function monthOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 7)}-01T00:00:00Z`;
}

function plain(row: Row): Row {
  return JSON.parse(
    JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  ) as Row;
}

function rowsOfReport(out: string): readonly Row[] {
  const { chains } = JSON.parse(out) as {
    chains: readonly { readonly rows: readonly Row[]; readonly total: Row }[];
  };
  return chains.flatMap(({ rows, total }) => [...rows, { ...total, period: 'total' }]);
}

const nameOf = (row: Row): string => KEYS.map((key) => JSON.stringify(row[key] ?? null)).join(' ');

/** Figures that a sample reports as known but that differ at the end. */
function faultsOf(sample: Sample, truth: Sample): string[] {
  return Object.entries(sample).flatMap(([question, rows]) => {
    const told = new Map(rows.map((row) => [nameOf(row), row]));
    const final = new Map((truth[question] ?? []).map((row) => [nameOf(row), row]));
    const open = rows.filter((row) => row['counted'] === false);
    const missing = [...final].filter(
      ([name, row]) =>
        !told.has(name) && !open.some((one) => one['time'] === undefined || one['time'] === row['time']),
    );
    return [
      ...missing.map(([name]) => `${question} ${name}: no row, and nothing says why`),
      ...rows.flatMap((row) =>
        faultsOfRow(row, final.get(nameOf(row))).map((fault) => `${question} ${nameOf(row)} ${fault}`),
      ),
    ];
  });
}

function faultsOfRow(row: Row, final: Row | undefined): string[] {
  const isCounted = row['counted'] === true;
  if (final === undefined) return isCounted ? [': is not there in the end'] : [];
  return Object.keys(row).flatMap((figure) => {
    const [value, truth] = [row[figure], final[figure]];
    const fault = [`${figure} ${JSON.stringify(value)}, in the end ${JSON.stringify(truth)}`];
    if (figure === 'coverage') return Number(value) <= Number(truth) + 0.01 ? [] : fault;
    if (isCounted && !OF_OTHERS.test(figure))
      return JSON.stringify(value) === JSON.stringify(truth) ? [] : fault;
    if (value === null || value === undefined || figure.startsWith('forecast')) return [];
    if (isCounted) return JSON.stringify(value) === JSON.stringify(truth) ? [] : fault;
    if (UPPER.test(figure)) return fault;
    return LOWER.test(figure) && Number(value) > Number(truth) ? fault : [];
  });
}
