import { ONE_PLAN, type Query } from '../../../platform/sql.js';
import { mapInTimeSlices } from '../../../platform/time-slices.js';
import { slotColumns, slotOf, type Slot, type SlotRow } from './grouped-rows.js';
import { LARGEST_REPORT } from './report-request.js';
import { tooManyRows, type ReportPlan } from './report-plan.js';
import { storedBlocks, storedSubmissions, sumOf, type StoredRowsSql } from './stored-rows.js';

/** SQL expressions over stored rows `s`, by the name of their result: an exact number as text, or null. */
type SumColumns<Name extends string> = Readonly<Record<Name, string>>;

export interface SumRow<Name extends string, Sum = bigint> extends Slot {
  readonly sums: Readonly<Record<Name, Sum>>;
}

type ReadSum<Sum> = (text: string | null) => Sum;

/** A sum of integers; null is the sum of no rows. */
const readInteger: ReadSum<bigint> = (text) => BigInt(text ?? 0);

/**
 * Integer sums of submissions, one row for each bucket and group with submissions.
 * @throws ReadFault BAD_INPUT for more rows than a report may have
 */
export function getSubmissionSums<Name extends string>(
  query: Query,
  plan: ReportPlan,
  columns: SumColumns<Name>,
): Promise<SumRow<Name>[]> {
  return getSums(query, plan, storedSubmissions(plan), columns, readInteger, LARGEST_REPORT);
}

/** Like {@link getSubmissionSums}, for any numbers, as the database writes them. */
export function getSubmissionTexts<Name extends string>(
  query: Query,
  plan: ReportPlan,
  columns: SumColumns<Name>,
): Promise<SumRow<Name, string | null>[]> {
  return getSums(query, plan, storedSubmissions(plan), columns, (text) => text, LARGEST_REPORT);
}

const BLOCK_COLUMNS = {
  blocksProduced: sumOf('produced'),
  blocksIncluded: sumOf('included'),
  transactions: sumOf('transactions'),
  transactionsIncluded: sumOf('includedTransactions'),
  transactionBytes: sumOf('txBytes'),
  transactionBytesIncluded: sumOf('includedTxBytes'),
};

/** Blocks whose time lies in a bucket. */
export type BlockSums = Readonly<Record<keyof typeof BLOCK_COLUMNS, bigint>>;

/** Sums of blocks by bucket and group, for a report by nodes and chains alone. */
export function getBlockSums(query: Query, plan: ReportPlan): Promise<SumRow<keyof BlockSums>[]> {
  return getSums(query, plan, storedBlocks(plan), BLOCK_COLUMNS, readInteger);
}

async function getSums<Name extends string, Sum>(
  query: Query,
  plan: ReportPlan,
  stored: StoredRowsSql,
  columns: SumColumns<Name>,
  readSum: ReadSum<Sum>,
  most?: number,
): Promise<SumRow<Name, Sum>[]> {
  const { select, groupBy } = slotColumns(plan, stored);
  const names = Object.keys(columns) as Name[];
  const rows = await query<SlotRow & Record<Name, string | null>>(
    `${ONE_PLAN} SELECT ${select}, ${names.map((name) => `${columns[name]} AS "${name}"`).join(', ')}
       ${stored.from} GROUP BY ${groupBy} LIMIT ${most === undefined ? 'ALL' : most + 1}`,
    stored.parameters,
  );
  if (most !== undefined && rows.length > most) {
    const [counted] = await query<{ total: bigint }>(
      `SELECT count(*) AS total FROM (SELECT ${select} ${stored.from} GROUP BY ${groupBy}) AS rows`,
      stored.parameters,
    );
    throw tooManyRows(String(counted?.total), plan.bucket, plan.groupBy);
  }
  return mapInTimeSlices(rows, (row) => {
    const sums = {} as Record<Name, Sum>;
    for (const name of names) sums[name] = readSum(row[name]);
    const { bucket, group, name } = slotOf(row);
    return { bucket, group, name, sums };
  });
}
