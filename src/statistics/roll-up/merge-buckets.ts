import { Decimal } from '../../domain/cost/decimal.js';
import { decoding } from '../../domain/decode-error.js';
import { Sketch } from '../../domain/statistics/sketch.js';
import type { Query } from '../../platform/sql.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import { addFiat, type FiatSum } from './statistic.js';
import {
  BLOCK_HEIGHT_COLUMNS,
  BLOCK_SUM_COLUMNS,
  SKETCH_COLUMNS,
  SUM_COLUMNS,
  writeFiat,
  type StoredBucket,
  type StoredRow,
} from './stored-rows.js';

/** A bucket that is the sum of all smaller ones within it. */
export interface MergedBucket extends StoredBucket {
  /** Grain of the smaller ones. */
  readonly fromGrain: number;
  /** Its end. Unix microseconds. */
  readonly toUs: bigint;
}

interface Numbered extends MergedBucket {
  readonly n: number;
}

const BUCKET_COLUMNS = [
  column('n', 'int4', ({ n }: Numbered) => n),
  column('node_key', 'int4', ({ nodeKey }: Numbered) => nodeKey),
  column('chain', 'text', ({ chain }: Numbered) => chain),
  column('grain', 'int2', ({ fromGrain }: Numbered) => fromGrain),
  column('from_at', 'timestamptz', ({ bucketUs }: Numbered) => bucketUs),
  column('to_at', 'timestamptz', ({ toUs }: Numbered) => toUs),
];
const WITHIN = `s.node_key = t.node_key AND s.chain = t.chain AND s.grain = t.grain
  AND s.bucket_at >= t.from_at AND s.bucket_at < t.to_at`;

/** The gas price of the latest bucket that has one; of several at that moment the highest. */
const LAST_FIRST = 'ORDER BY s.gas_price_last_at DESC NULLS LAST, s.gas_price_last DESC NULLS LAST';

/** Rows of `statistic` for each bucket: sums in SQL; sketches and money, which SQL cannot add, here. */
export async function mergeStatisticRows(
  query: Query,
  buckets: readonly MergedBucket[],
): Promise<StoredRow[]> {
  if (buckets.length === 0) return [];
  const targets = unnestRows(BUCKET_COLUMNS, number(buckets), 't');
  const rows = await query<Record<string, string | number | null>>(
    `SELECT t.n, s.namespace_key, s.kind, s.status, ${SUM_COLUMNS.map((name) => `sum(s.${name}) AS ${name}`).join(', ')},
        min(s.gas_price_min) AS gas_price_min, sum(s.gas_price_sum) AS gas_price_sum,
        max(s.gas_price_max) AS gas_price_max, (array_agg(s.gas_price_last ${LAST_FIRST}))[1] AS gas_price_last,
        (extract(epoch FROM max(s.gas_price_last_at)) * 1000000)::bigint AS gas_price_last_at,
        array_agg(s.fiat::text) FILTER (WHERE s.fiat <> '{}') AS fiat,
        ${SKETCH_COLUMNS.map((name) => `array_agg(s.${name}) FILTER (WHERE s.${name} IS NOT NULL) AS ${name}`).join(', ')}
       FROM ${targets.sql} CROSS JOIN LATERAL (SELECT * FROM statistic s WHERE ${WITHIN} OFFSET 0) s
      GROUP BY t.n, s.namespace_key, s.kind, s.status`,
    targets.parameters,
  );
  return rows.map((row) => toRow(buckets, row, readStatistic(row)));
}

/** Rows of `block_statistic` for each bucket. */
export async function mergeBlockRows(query: Query, buckets: readonly MergedBucket[]): Promise<StoredRow[]> {
  if (buckets.length === 0) return [];
  const targets = unnestRows(BUCKET_COLUMNS, number(buckets), 't');
  const rows = await query<Record<string, string | number | null>>(
    `SELECT t.n, s.lineage_key, ${BLOCK_SUM_COLUMNS.map((name) => `sum(s.${name}) AS ${name}`).join(', ')},
        ${BLOCK_HEIGHT_COLUMNS.map((name) => `max(s.${name}) AS ${name}`).join(', ')}
       FROM ${targets.sql} CROSS JOIN LATERAL (SELECT * FROM block_statistic s WHERE ${WITHIN} OFFSET 0) s
      GROUP BY t.n, s.lineage_key`,
    targets.parameters,
  );
  return rows.map((row) => toRow(buckets, row, row));
}

function number(buckets: readonly MergedBucket[]): Numbered[] {
  return buckets.map((bucket, n) => ({ ...bucket, n }));
}

function toRow(
  buckets: readonly MergedBucket[],
  row: Readonly<Record<string, unknown>>,
  values: StoredRow['values'],
): StoredRow {
  const bucket = buckets[row['n'] as number];
  if (!bucket) throw new Error('A row of a bucket that was not asked for');
  const { grain, bucketUs, nodeKey, chain } = bucket;
  return { grain, bucketUs, nodeKey, chain, values };
}

/** @throws DecodeError when what is stored of a smaller bucket cannot be read */
function readStatistic(row: Readonly<Record<string, unknown>>): StoredRow['values'] {
  return decoding('A stored statistic', () => toStatisticValues(row));
}

function toStatisticValues(row: Readonly<Record<string, unknown>>): StoredRow['values'] {
  const values = { ...row } as Record<string, string | number | bigint | null>;
  const lastAt = row['gas_price_last_at'] as string | null;
  values['gas_price_last_at'] = lastAt === null ? null : BigInt(lastAt);
  values['fiat'] = mergeFiat((row['fiat'] ?? []) as string[]);
  for (const name of SKETCH_COLUMNS) {
    const sketches = row[name] as Uint8Array[] | null;
    values[name] = sketches === null ? null : mergeSketches(sketches);
  }
  return values;
}

function mergeSketches(encoded: readonly Uint8Array[]): string {
  const [only, ...others] = encoded;
  if (only && others.length === 0) return Buffer.from(only).toString('hex');
  const sketch = Sketch.empty();
  for (const bytes of encoded) sketch.mergeEncoded(bytes);
  return sketch.encode().toString('hex');
}

function mergeFiat(texts: readonly string[]): string {
  const sum = new Map<string, FiatSum>();
  for (const text of texts) {
    const units = JSON.parse(text) as Record<string, { min: string; max: string; count: string }>;
    for (const [unit, { min, max, count }] of Object.entries(units)) {
      addFiat(sum, unit, { min: Decimal.read(min), max: Decimal.read(max), count: BigInt(count) });
    }
  }
  return writeFiat(sum);
}
