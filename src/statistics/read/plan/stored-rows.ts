import { kindCodeOf, statusCodeOf } from '../../../domain/submissions/submission-codes.js';
import { BlockStatisticEntity, StatisticEntity } from '../../../tables/statistics.entities.js';
import { quarterOf } from '../../../projections/quarters.js';
import type { BucketRows } from '../../roll-up/stored-rows.js';
import { columnNameOf } from '../../../tables/columns.js';
import { columnsFor, columnsOf, type UnnestedRows } from '../../../platform/rows/row-columns.js';
import { encodeArray } from '../../../platform/rows/row-encoders.js';
import { piecesBefore, piecesOf, type GrainRange } from './pieces.js';
import type { ReportPlan } from './report-plan.js';
import { isFine } from './report-request.js';
import { zoneOf } from './scope.query.js';

/** Parts of an SQL statement about the stored rows of a report, which are `s` in it. */
export interface StoredRowsSql {
  /** The bucket of a row, counted from 0; -1 before the report. */
  readonly bucket: string;
  readonly from: string;
  /** Parameters of both parts, from `$1` on. */
  readonly parameters: readonly unknown[];
}

/** The rows of `statistic` that a report reads. */
export function storedSubmissions(plan: ReportPlan): StoredRowsSql {
  return storedRows(plan, 'statistic', (zone) => piecesOf(plan, zone), codesOf(plan));
}

/** The values that columns of submissions may have in a report; undefined for all. */
export function codesOf({ scope, filter }: ReportPlan) {
  return {
    namespaceKey: scope.namespaceKeys,
    kind: filter.kinds?.map(kindCodeOf),
    status: filter.statuses?.map(statusCodeOf),
  };
}

/** The rows of `block_statistic` in the time of a report. */
export function storedBlocks(plan: ReportPlan): StoredRowsSql {
  const { addedUp, starts } = plan;
  // Blocks before the report count only for how far blocks had come.
  const blocks = addedUp?.blocks.filter(({ bucketAt }) => bucketAt >= (starts[0] ?? bucketAt));
  const within = addedUp && blocks ? { ...plan, addedUp: { ...addedUp, blocks } } : plan;
  return storedRows(within, 'block_statistic', (zone) => piecesOf(plan, zone));
}

/** Like {@link storedBlocks}, with all rows before it. */
export function storedBlocksSoFar(plan: ReportPlan): StoredRowsSql {
  const rows = storedRows(plan, 'block_statistic', (zone) => [
    ...piecesBefore(quarterOf(plan.fromUs), zone),
    ...piecesOf(plan, zone),
  ]);
  const parameters = [...rows.parameters, timesParameter([plan.fromUs])];
  // The first bucket begins before the report if the report cuts it.
  const isBefore = `s.bucket_at < ($${parameters.length}::timestamptz[])[1]`;
  return { ...rows, bucket: `CASE WHEN ${isBefore} THEN -1 ELSE ${rows.bucket} END`, parameters };
}

type TableName = 'statistic' | 'block_statistic';

const OWNERS = columnsFor({ nodeKey: 'int4', chain: 'text', zone: 'int4' });
const PIECES = columnsFor({ zone: 'int4', grain: 'int2', fromUs: 'timestamptz', toUs: 'timestamptz' });

/**
 * Each owner and piece is one range of the primary key. The planner does not know the sizes of the lists; OFFSET 0 keeps it
 * from reading the whole table instead. The work thus depends only on the buckets that are read.
 *
 * @param choosePieces the pieces that are read for the owners of a zone
 * @param only the values that columns may have; all if there is no list
 */
function storedRows(
  { scope, starts, recounted, addedUp, toUs, bucket: size }: ReportPlan,
  table: TableName,
  choosePieces: (ownZone: string | undefined) => readonly GrainRange[],
  only: Readonly<Record<string, readonly number[] | undefined>> = {},
): StoredRowsSql {
  const bucketBy = (times: string) => `width_bucket(s.bucket_at, ${times}::timestamptz[]) - 1`;
  const again = recounted && unnestSums(recounted, table, 's');
  if (again !== undefined) {
    const parameters = [...again.parameters, timesParameter(starts)];
    return { bucket: bucketBy(`$${parameters.length}`), from: `FROM ${again.sql}`, parameters };
  }
  const zones = [...new Set(scope.owners.map(({ chain }) => zoneOf(scope, chain)))];
  const placed = scope.owners.map((owner) => ({ ...owner, zone: zones.indexOf(zoneOf(scope, owner.chain)) }));
  const owners = OWNERS.unnest(placed, 'owner');
  const pieces = PIECES.unnest(
    zones.flatMap((name, zone) =>
      choosePieces(scope.hasOwnDays ? name : undefined).map((piece) => ({ zone, ...piece })),
    ),
    'piece',
    OWNERS.count + 1,
  );
  const parameters: unknown[] = [...owners.parameters, ...pieces.parameters];
  const give = (value: unknown): string => `$${parameters.push(value)}`;
  const conditions = Object.entries(only).map(([column, values]) =>
    values === undefined ? '' : `AND r.${columnNameOf(column)} = ANY (${give(values)}::int[])`,
  );
  const bucket = bucketBy(give(timesParameter(starts)));
  const stored = (columns: string): string => `
      FROM ${owners.sql} JOIN ${pieces.sql} USING (zone) CROSS JOIN LATERAL (
        SELECT ${columns} FROM ${table} r
         WHERE r.node_key = owner.node_key AND r.chain = owner.chain AND r.grain = piece.grain
           AND r.bucket_at >= piece.from_us AND r.bucket_at < piece.to_us ${conditions.join(' ')}
        OFFSET 0
      ) AS s`;
  // Parts of a report, such as the bucket before it, end elsewhere.
  const hasAddedUp = isFine(size) || quarterOf(toUs) !== toUs;
  const more = addedUp && hasAddedUp ? unnestSums(addedUp, table, 'added', parameters.length + 1) : undefined;
  if (more === undefined) return { bucket, from: stored('*'), parameters };
  const from = `FROM (SELECT s.* ${stored(more.names)} UNION ALL SELECT * FROM ${more.sql}) AS s`;
  return { bucket, from, parameters: parameters.concat(more.parameters) };
}

/** Rows that are not stored, with the columns of the table; undefined if the stored rows count. */
function unnestSums(
  { statistics, blocks }: Partial<BucketRows>,
  table: TableName,
  alias: string,
  first?: number,
): UnnestedRows | undefined {
  return table === 'statistic'
    ? statistics && columnsOf(StatisticEntity).unnest(statistics, alias, first)
    : blocks && columnsOf(BlockStatisticEntity).unnest(blocks, alias, first);
}

/** Times as a parameter of type `timestamptz[]`. In binary: as text, ten thousand times take 100 ms for each statement. */
export function timesParameter(times: readonly bigint[]): Buffer {
  return encodeArray('timestamptz', [...times]);
}

/** SQL: the sum of a column of stored rows, by its property. */
export function sumOf(property: string): string {
  return `sum(s.${columnNameOf(property)})`;
}
