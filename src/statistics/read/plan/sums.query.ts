import type { Query } from '../../../platform/sql.js';
import { mapInTurns } from '../../../platform/turns.js';
import { BUCKET, bucketParameters, bucketRows, FILTERED, statisticParameters } from './bucket-rows.js';
import { groupColumns, toSlot, type GroupRow, type Slot } from './grouped-rows.js';
import { LARGEST_REPORT } from './report-request.js';
import { tooManyRows, type ReportPlan } from './report-plan.js';

/** SQL expressions over stored rows `s`, by the name of what they give: an exact number in text, or null. */
export type SumColumns<Name extends string> = Readonly<Record<Name, string>>;

/** A bucket of a group with its sums. */
export interface SumRow<Name extends string> extends Slot {
  readonly sums: Readonly<Record<Name, string | null>>;
}

/**
 * Sums of submissions, one row for each bucket and group in which there are some.
 * @throws ReadFault BAD_INPUT when there are more than a report may hold
 */
export async function getSubmissionSums<Name extends string>(
  query: Query,
  plan: ReportPlan,
  columns: SumColumns<Name>,
): Promise<SumRow<Name>[]> {
  const { select, groupBy } = groupColumns(plan.groupBy);
  const rows = await query<GroupRow & { bucket: number; total: string } & Record<Name, string | null>>(
    `SELECT ${BUCKET} AS bucket, ${select}, ${selectAll(columns)}, count(*) OVER () AS total
       ${bucketRows('statistic')} WHERE ${FILTERED} GROUP BY ${groupBy} LIMIT ${LARGEST_REPORT + 1}`,
    statisticParameters(plan),
  );
  if (rows.length > LARGEST_REPORT)
    throw tooManyRows(rows[0]?.total ?? 'too many', plan.bucket, plan.groupBy);
  const names = Object.keys(columns) as Name[];
  return mapInTurns(rows, (row) => ({ ...toSlot(row.bucket, toGroup(row)), sums: pick(row, names) }));
}

/** Sums of blocks by bucket, and by node and chain where the report is grouped so. */
export async function getBlockSums<Name extends string>(
  query: Query,
  plan: ReportPlan,
  columns: SumColumns<Name>,
): Promise<SumRow<Name>[]> {
  const { select, groupBy } = groupColumns(new Set([...plan.groupBy].filter(isOfBlocks)));
  const rows = await query<GroupRow & { bucket: number } & Record<Name, string | null>>(
    `SELECT ${BUCKET} AS bucket, ${select}, ${selectAll(columns)}
       ${bucketRows('block_statistic')} GROUP BY ${groupBy}`,
    bucketParameters(plan),
  );
  const names = Object.keys(columns) as Name[];
  return mapInTurns(rows, (row) => ({ ...toSlot(row.bucket, toGroup(row)), sums: pick(row, names) }));
}

function isOfBlocks(group: string): boolean {
  return group === 'NODE' || group === 'CHAIN';
}

function selectAll(columns: SumColumns<string>): string {
  return Object.entries(columns)
    .map(([name, expression]) => `${expression} AS "${name}"`)
    .join(', ');
}

function toGroup({ node_key, chain, namespace_key, kind, status }: GroupRow): GroupRow {
  return { node_key, chain, namespace_key, kind, status };
}

function pick<Name extends string>(
  row: Readonly<Record<Name, string | null>>,
  names: readonly Name[],
): Record<Name, string | null> {
  const sums = {} as Record<Name, string | null>;
  for (const name of names) sums[name] = row[name];
  return sums;
}

/** SQL: the sum of a column of stored rows. */
export function sumOf(column: string): string {
  return `sum(s.${column})`;
}
