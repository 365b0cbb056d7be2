import type { DataSource } from 'typeorm';
import { YEAR_CHAIN } from '../../src/cli/demo-year.js';

type Row = Readonly<Record<string, unknown>>;
/** Rows by query. */
export type Sample = Readonly<Record<string, readonly Row[]>>;

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

/** The months that are asked for, and a moment in the last of them. */
export interface Span {
  readonly from: string;
  readonly to: string;
  readonly end: string;
}

/** What a service at `url`, its files and the views say of the sample year's chain. */
export async function sampleOf(url: string, dataSource: DataSource, span: Span): Promise<Sample> {
  return { ...(await ofGraphql(url, span)), ...(await ofFiles(url, span)), ...(await ofViews(dataSource)) };
}

async function ofGraphql(url: string, { from, to, end }: Span): Promise<Sample> {
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

async function ofFiles(url: string, { from, to }: Span): Promise<Sample> {
  const read = async (name: string): Promise<Row[]> => {
    const question = `bucket=MONTH&chains=${YEAR_CHAIN}&from=${from}&to=${to}`;
    const response = await fetch(`${url}/export/${name}.ndjson?${question}`);
    const lines = (await response.text()).trim().split('\n');
    const rows = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
    return withUnread(rows, response.headers.get('x-hindsight-unread-events') === null);
  };
  return { file: await read('statistics'), costFile: await read('costs') };
}

/** What the views for SQL say of the chain. */
export async function ofViews(dataSource: DataSource): Promise<Sample> {
  const sample: Record<string, readonly Row[]> = {};
  const whole = await dataSource.query<Row[]>('SELECT counted FROM reporting.unread');
  for (const view of ['statistics_monthly', 'cost_daily', 'node_cost_monthly', 'block_statistics_monthly']) {
    const rows = await dataSource.query<Row[]>(
      `SELECT * FROM reporting.${view} WHERE chain = '${YEAR_CHAIN}'`,
    );
    sample[view] = withUnread(rows.map(plain), whole[0]?.['counted'] === true);
  }
  return sample;
}

/** An answer that leaves rows unread says so; an uncounted row then represents the missing rows. */
function withUnread(rows: readonly Row[], isRead: boolean): Row[] {
  return isRead ? [...rows] : [...rows, { counted: false }];
}

function plain(row: Row): Row {
  return JSON.parse(
    JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  ) as Row;
}

/** The rows and totals of a report as JSON. */
export function rowsOfReport(out: string): readonly Row[] {
  const { chains } = JSON.parse(out) as {
    chains: readonly { readonly rows: readonly Row[]; readonly total: Row }[];
  };
  return chains.flatMap(({ rows, total }) => [...rows, { ...total, period: 'total' }]);
}

const nameOf = (row: Row): string => KEYS.map((key) => JSON.stringify(row[key] ?? null)).join(' ');

/** Figures that a sample reports as known but that differ at the end. */
export function faultsOf(sample: Sample, truth: Sample): string[] {
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
