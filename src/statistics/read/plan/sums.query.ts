import type { Query } from '../../../platform/sql.js';
import { mapInTurns } from '../../../platform/turns.js';
import { slotColumns, slotOf, type Slot, type SlotRow } from './grouped-rows.js';
import { LARGEST_REPORT } from './report-request.js';
import { tooManyRows, type ReportPlan } from './report-plan.js';
import { storedBlocks, storedSubmissions, sumOf, type StoredRows } from './stored-rows.js';

/** SQL expressions over stored rows `s`, by the name of what they give: an exact number in text, or null. */
type SumColumns<Name extends string> = Readonly<Record<Name, string>>;

/** A bucket of a group with its sums. */
export interface SumRow<Name extends string> extends Slot {
  readonly sums: Readonly<Record<Name, string | null>>;
}

/**
 * Sums of submissions, one row for each bucket and group in which there are some.
 * @throws ReadFault BAD_INPUT when there are more than a report may hold
 */
export function getSubmissionSums<Name extends string>(
  query: Query,
  plan: ReportPlan,
  columns: SumColumns<Name>,
): Promise<SumRow<Name>[]> {
  return getSums(query, plan, storedSubmissions(plan), columns, LARGEST_REPORT);
}

/** Sums of blocks by bucket and group, of a report by nothing but nodes and chains. */
export function getBlockSums<Name extends string>(
  query: Query,
  plan: ReportPlan,
  columns: SumColumns<Name>,
): Promise<SumRow<Name>[]> {
  return getSums(query, plan, storedBlocks(plan), columns);
}

async function getSums<Name extends string>(
  query: Query,
  plan: ReportPlan,
  stored: StoredRows,
  columns: SumColumns<Name>,
  most?: number,
): Promise<SumRow<Name>[]> {
  const { select, groupBy } = slotColumns(plan, stored);
  const names = Object.keys(columns) as Name[];
  const rows = await query<SlotRow & { total: bigint } & Record<Name, string | null>>(
    `SELECT ${select}, ${names.map((name) => `${columns[name]} AS "${name}"`).join(', ')},
            count(*) OVER () AS total
       ${stored.from} GROUP BY ${groupBy} LIMIT ${most === undefined ? 'ALL' : most + 1}`,
    stored.parameters,
  );
  if (most !== undefined && rows.length > most)
    throw tooManyRows(String(rows[0]?.total), plan.bucket, plan.groupBy);
  return mapInTurns(rows, (row) => {
    const sums = {} as Record<Name, string | null>;
    for (const name of names) sums[name] = row[name];
    return { ...slotOf(row), sums };
  });
}

/** SQL: the sums of columns, by their properties. */
export function sumColumns<Name extends string>(names: readonly Name[]): SumColumns<Name> {
  return Object.fromEntries(names.map((name) => [name, sumOf(name)])) as SumColumns<Name>;
}

/** The sums of a row, all of them integers; null sums are those of no rows. */
export function toIntegers<Name extends string>({ sums }: SumRow<Name>): Record<Name, bigint> {
  const integers = {} as Record<Name, bigint>;
  for (const name in sums) integers[name] = BigInt(sums[name] ?? 0);
  return integers;
}
