import type { Query } from '../../platform/sql.js';
import { column, unnestRows, type Column } from '../../platform/unnest-rows.js';
import { BLOCK_HEIGHTS, BLOCK_SUMS, type BlockStatistic } from './aggregation/block-statistic.js';
import { STATISTIC_SKETCHES, STATISTIC_SUMS, type FiatSum, type Statistic } from './statistic.js';

/** Values of `grain`. */
export const Grain = { QUARTER: 0, HOUR: 1, DAY: 2 } as const;

/** A bucket of a table. */
export interface StoredBucket {
  readonly grain: number;
  /** Its start, Unix microseconds. */
  readonly bucketUs: bigint;
  readonly nodeKey: number;
  readonly chain: string;
}

/** A row of `statistic` or `block_statistic`: its bucket, and its other columns by name; sketches in hex. */
export interface StoredRow extends StoredBucket {
  readonly values: Readonly<Record<string, string | number | bigint | null>>;
}

const BUCKET_COLUMNS: readonly Column<StoredBucket>[] = [
  column('grain', 'int2', ({ grain }: StoredBucket) => grain),
  column('bucket_at', 'timestamptz', ({ bucketUs }: StoredBucket) => bucketUs),
  column('node_key', 'int4', ({ nodeKey }: StoredBucket) => nodeKey),
  column('chain', 'text', ({ chain }: StoredBucket) => chain),
];

/** Names here and of columns: `gasPriceMin` and `gas_price_min`. */
type Named<Name extends string> = readonly (readonly [Name, string])[];

function named<Name extends string>(names: readonly Name[]): Named<Name> {
  return names.map((name) => [name, name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]);
}

function columnsOf(names: Named<string>): string[] {
  return names.map(([, columnName]) => columnName);
}

const SUMS = named(STATISTIC_SUMS);
const PRICES = named(['gasPriceMin', 'gasPriceSum', 'gasPriceMax', 'gasPriceLast'] as const);
const SKETCHES = named(STATISTIC_SKETCHES);
const BLOCKS = named(BLOCK_SUMS);
const HEIGHTS = named(BLOCK_HEIGHTS);
export const SUM_COLUMNS = columnsOf(SUMS);
export const SKETCH_COLUMNS = columnsOf(SKETCHES);
export const BLOCK_SUM_COLUMNS = columnsOf(BLOCKS);
export const BLOCK_HEIGHT_COLUMNS = columnsOf(HEIGHTS);

/** The tables of statistics. */
export type StatisticTable = 'statistic' | 'block_statistic';

const COLUMNS: Readonly<Record<StatisticTable, readonly Column<StoredRow>[]>> = {
  statistic: [
    ...BUCKET_COLUMNS,
    ...['namespace_key', 'kind', 'status'].map((name) => valueColumn(name, 'int4')),
    ...[...SUM_COLUMNS, ...columnsOf(PRICES)].map((name) => valueColumn(name, 'numeric')),
    valueColumn('gas_price_last_at', 'timestamptz'),
    valueColumn('fiat', 'text'),
    ...SKETCH_COLUMNS.map((name) => valueColumn(name, 'bytea')),
  ],
  block_statistic: [
    ...BUCKET_COLUMNS,
    valueColumn('lineage_key', 'int4'),
    ...[...BLOCK_SUM_COLUMNS, ...BLOCK_HEIGHT_COLUMNS].map((name) => valueColumn(name, 'numeric')),
  ],
};

function valueColumn(
  name: string,
  type: 'int4' | 'numeric' | 'timestamptz' | 'text' | 'bytea',
): Column<StoredRow> {
  return column(name, type, ({ values }: StoredRow) => (values[name] ?? null) as never);
}

/** Deletes all rows of these buckets. */
export async function deleteBuckets(
  query: Query,
  table: StatisticTable,
  buckets: readonly StoredBucket[],
): Promise<void> {
  if (buckets.length === 0) return;
  const gone = unnestRows(BUCKET_COLUMNS, buckets, 'd');
  await query(
    `DELETE FROM ${table} s USING ${gone.sql} WHERE s.node_key = d.node_key AND s.chain = d.chain
        AND s.grain = d.grain AND s.bucket_at = d.bucket_at`,
    gone.parameters,
  );
}

export async function insertRows(
  query: Query,
  table: StatisticTable,
  rows: readonly StoredRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const added = unnestRows(COLUMNS[table], rows);
  const values = added.names.replace(/\bfiat\b/, 'fiat::jsonb');
  await query(`INSERT INTO ${table} (${added.names}) SELECT ${values} FROM ${added.sql}`, added.parameters);
}

export function toStoredRow(statistic: Statistic, grain: number, bucketUs: bigint): StoredRow {
  const { nodeKey, chain, namespaceKey, kind, status, gasPriceLastAt, fiat } = statistic;
  const values: Record<string, string | number | bigint | null> = {
    namespace_key: namespaceKey,
    kind,
    status,
  };
  for (const [name, inTable] of SUMS) values[inTable] = statistic[name].toString();
  for (const [name, inTable] of PRICES) values[inTable] = statistic[name]?.toString() ?? null;
  values['gas_price_last_at'] = gasPriceLastAt;
  values['fiat'] = writeFiat(fiat);
  for (const [name, inTable] of SKETCHES) {
    const sketch = statistic[name];
    values[inTable] = sketch.count === 0 ? null : sketch.encode().toString('hex');
  }
  return { grain, bucketUs, nodeKey, chain, values };
}

export function toStoredBlockRow(blocks: BlockStatistic, grain: number, bucketUs: bigint): StoredRow {
  const { nodeKey, chain, lineageKey } = blocks;
  const values: Record<string, string | number | null> = { lineage_key: lineageKey };
  for (const [name, inTable] of BLOCKS) values[inTable] = blocks[name].toString();
  for (const [name, inTable] of HEIGHTS) values[inTable] = blocks[name]?.toString() ?? null;
  return { grain, bucketUs, nodeKey, chain, values };
}

/** Units in the order of their names, so that equal sums are stored alike. */
export function writeFiat(fiat: ReadonlyMap<string, FiatSum>): string {
  const units = [...fiat].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(
    Object.fromEntries(
      units.map(([unit, { min, max, count }]) => [
        unit,
        { min: min.toString(), max: max.toString(), count: count.toString() },
      ]),
    ),
  );
}
