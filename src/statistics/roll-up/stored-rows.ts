import type { Decimal } from '../../domain/cost/decimal.js';
import type { Sketch } from '../../domain/statistics/sketch.js';
import type { Micros } from '../../domain/time.js';
import { declaredColumns, type TableClass } from '../../platform/rows/row-columns.js';
import { deleteRows, insertRows } from '../../platform/rows/write-rows.js';
import type { Query } from '../../platform/sql.js';
import { BlockStatisticEntity, StatisticEntity, type StoredFiat } from '../../tables/statistics.entities.js';
import type { BlockStatistic } from './aggregation/block-sums.js';
import type { FiatSum, Statistic } from './statistic.js';

export const Grain = { QUARTER: 0, HOUR: 1, DAY: 2 } as const;

const BUCKET = ['grain', 'bucketAt', 'nodeKey', 'chain'] as const;

export type Bucket = Readonly<Pick<StatisticEntity, (typeof BUCKET)[number]>>;

export interface BucketRows {
  readonly statistics: readonly StatisticEntity[];
  readonly blocks: readonly BlockStatisticEntity[];
}

export async function deleteBuckets(query: Query, buckets: readonly Bucket[]): Promise<void> {
  await deleteRows(query, StatisticEntity, BUCKET, buckets);
  await deleteRows(query, BlockStatisticEntity, BUCKET, buckets);
}

export async function insertStored(query: Query, { statistics, blocks }: BucketRows): Promise<void> {
  await insertRows(query, StatisticEntity, statistics);
  await insertRows(query, BlockStatisticEntity, blocks);
}

/** The row of a quarter hour. */
export function toStatisticRow(statistic: Statistic, bucketAt: Micros): StatisticEntity {
  return toRow(StatisticEntity, {
    ...statistic,
    grain: Grain.QUARTER,
    bucketAt,
    fiat: toStoredFiat(statistic.fiat),
    lagMs: toHex(statistic.lagMs),
    submissionMs: toHex(statistic.submissionMs),
    blobBytes: toHex(statistic.blobBytes),
  });
}

/** Like {@link toStatisticRow}. */
export function toBlockRow(blocks: BlockStatistic, bucketAt: Micros): BlockStatisticEntity {
  return toRow(BlockStatisticEntity, { ...blocks, grain: Grain.QUARTER, bucketAt });
}

/** Sorts units by name, so that equal sums are stored identically. */
export function toStoredFiat(fiat: ReadonlyMap<string, FiatSum>): StoredFiat {
  const units = [...fiat].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    units.map(([unit, { min, max, count }]) => [
      unit,
      { min: min.toString(), max: max.toString(), count: count.toString() },
    ]),
  );
}

function toHex(sketch: Sketch): string | null {
  return sketch.count === 0 ? null : sketch.encode().toString('hex');
}

/** Code computes columns with exact numbers of any size as integers or decimals. */
type Computed<Row> = {
  readonly [Name in keyof Row]: Row[Name] | (string extends Row[Name] ? bigint | Decimal : never);
};

function toRow<Row>(table: TableClass<Row>, values: Computed<Row>): Row {
  const row = { ...values } as Record<keyof Row, unknown>;
  for (const { property, type } of declaredColumns(table)) {
    const value = values[property as keyof Row];
    if (type === 'numeric' && value !== null) row[property as keyof Row] = String(value);
  }
  return row as Row;
}
