import { Decimal } from '../../domain/cost/decimal.js';
import { decoding } from '../../domain/decode-error.js';
import { Sketch } from '../../domain/statistics/sketch.js';
import type { Micros } from '../../domain/time.js';
import {
  columnsFor,
  declaredColumns,
  tableNameOf,
  type TableClass,
} from '../../platform/rows/row-columns.js';
import type { Query } from '../../platform/sql.js';
import { BlockStatisticEntity, StatisticEntity, type StoredFiat } from '../../tables/statistics.entities.js';
import { BLOCK_HEIGHTS, BLOCK_SUMS } from './aggregation/block-sums.js';
import { addFiat, STATISTIC_SKETCHES, STATISTIC_SUMS, type FiatSum } from './statistic.js';
import { toStoredFiat, type Bucket, type BucketRows } from './stored-rows.js';

/** A bucket that is the sum of all smaller buckets within it. */
export interface MergedBucket extends Bucket {
  readonly fromGrain: number;
  /** End of the bucket, exclusive. */
  readonly toAt: Micros;
}

const TARGETS = columnsFor({
  n: 'int4',
  nodeKey: 'int4',
  chain: 'text',
  fromGrain: 'int2',
  bucketAt: 'timestamptz',
  toAt: 'timestamptz',
});

/** The gas price of the latest bucket that has one; the highest if several have the same moment. */
const LAST_FIRST = 'ORDER BY s.gas_price_last_at DESC NULLS LAST, s.gas_price_last DESC NULLS LAST';

const STATISTIC_COLUMNS = `
  s.namespace_key AS "namespaceKey", s.kind, s.status, ${aggregated(StatisticEntity, 'sum', STATISTIC_SUMS)},
  ${aggregated(StatisticEntity, 'min', ['gasPriceMin'])}, ${aggregated(StatisticEntity, 'sum', ['gasPriceSum'])},
  ${aggregated(StatisticEntity, 'max', ['gasPriceMax', 'gasPriceLastAt'])},
  (array_agg(s.gas_price_last ${LAST_FIRST}))[1] AS "gasPriceLast",
  jsonb_agg(s.fiat) FILTER (WHERE s.fiat <> '{}') AS fiat,
  array_agg(s.lag_ms) FILTER (WHERE s.lag_ms IS NOT NULL) AS "lagMs",
  array_agg(s.submission_ms) FILTER (WHERE s.submission_ms IS NOT NULL) AS "submissionMs",
  array_agg(s.blob_bytes) FILTER (WHERE s.blob_bytes IS NOT NULL) AS "blobBytes"`;
const BLOCK_COLUMNS = `s.lineage_key AS "lineageKey", ${aggregated(BlockStatisticEntity, 'sum', BLOCK_SUMS)},
  ${aggregated(BlockStatisticEntity, 'min', ['firstHeight'])}, ${aggregated(BlockStatisticEntity, 'max', BLOCK_HEIGHTS)}`;

/** Values that are collected from smaller buckets, because SQL cannot add them. */
type CollectedValues = Readonly<Record<(typeof STATISTIC_SKETCHES)[number], readonly Uint8Array[] | null>> & {
  readonly fiat: readonly StoredFiat[] | null;
};
type CollectedRow = Omit<StatisticEntity, keyof CollectedValues> & CollectedValues;

/** Adds up each bucket: sums in SQL; sketches and money, which SQL cannot add, here. */
export async function mergeBuckets(query: Query, buckets: readonly MergedBucket[]): Promise<BucketRows> {
  if (buckets.length === 0) return { statistics: [], blocks: [] };
  const key = 's.namespace_key, s.kind, s.status';
  const rows = await merge<CollectedRow>(query, buckets, StatisticEntity, STATISTIC_COLUMNS, key);
  return {
    statistics: rows.map((row) => decoding('A stored statistic', () => ({ ...row, ...mergeCollected(row) }))),
    blocks: await merge(query, buckets, BlockStatisticEntity, BLOCK_COLUMNS, 's.lineage_key'),
  };
}

/** The rows of a table, one for each bucket and key. */
async function merge<Row>(
  query: Query,
  buckets: readonly MergedBucket[],
  table: TableClass<unknown>,
  columns: string,
  key: string,
): Promise<Row[]> {
  const targets = TARGETS.unnest(
    buckets.map((bucket, n) => ({ ...bucket, n })),
    't',
  );
  const rows = await query<Omit<Row, keyof Bucket> & { readonly n: number }>(
    `SELECT t.n, ${columns}
       FROM ${targets.sql} CROSS JOIN LATERAL (
         SELECT * FROM ${tableNameOf(table)} s
          WHERE s.node_key = t.node_key AND s.chain = t.chain AND s.grain = t.from_grain
            AND s.bucket_at >= t.bucket_at AND s.bucket_at < t.to_at OFFSET 0) s
      GROUP BY t.n, ${key}`,
    targets.parameters,
  );
  return rows.map((row) => ({ ...row, ...buckets[row.n] }) as unknown as Row);
}

/** SQL: columns of `s` under the names of their properties, cast to their types, because sums of integers are decimals. */
function aggregated<Row>(table: TableClass<Row>, by: string, names: readonly (keyof Row)[]): string {
  return declaredColumns(table)
    .filter(({ property }) => names.includes(property as keyof Row))
    .map(({ name, property, type }) => `${by}(s.${name})::${type} AS "${property}"`)
    .join(', ');
}

/** @throws if the stored values of a smaller bucket cannot be read */
function mergeCollected({ fiat, lagMs, submissionMs, blobBytes }: CollectedValues) {
  return {
    fiat: mergeFiat(fiat ?? []),
    lagMs: mergeSketches(lagMs),
    submissionMs: mergeSketches(submissionMs),
    blobBytes: mergeSketches(blobBytes),
  };
}

function mergeSketches(encoded: readonly Uint8Array[] | null): string | null {
  if (encoded === null) return null;
  const [only, ...others] = encoded;
  if (only && others.length === 0) return Buffer.from(only).toString('hex');
  const sketch = Sketch.empty();
  for (const bytes of encoded) sketch.mergeEncoded(bytes);
  return sketch.encode().toString('hex');
}

function mergeFiat(stored: readonly StoredFiat[]): StoredFiat {
  const sum = new Map<string, FiatSum>();
  for (const units of stored) {
    for (const [unit, { min, max, count }] of Object.entries(units)) {
      addFiat(sum, unit, { min: Decimal.read(min), max: Decimal.read(max), count: BigInt(count) });
    }
  }
  return toStoredFiat(sum);
}
