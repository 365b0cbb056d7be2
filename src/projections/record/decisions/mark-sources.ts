import type { Micros } from '../../../domain/time.js';
import { columnsOf } from '../../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../../tables/record/submission.entity.js';
import { chainOfUnplaced } from '../../chain-of-row.js';
import type { Query } from '../../projection.js';
import type { Renamed } from '../facts/chain-names.js';
import type { RecordMemory } from '../memory.js';
import { quarterSql } from '../../quarters.js';
import type { MarkBook, RowOwner } from './marks.js';
import type { SubmissionRecord } from '../facts/submissions.js';

/** A quarter hour with rows of an owner. */
interface OwnedQuarter extends RowOwner {
  readonly quarter: Micros;
}

/** What a SELECT of rows of `submission` lists so that each is an {@link OwnedQuarter}. */
function selectQuarter(alias: string): string {
  const chain = `CASE WHEN ${alias}.lineage_key IS NULL THEN ${chainOfUnplaced(alias)} END`;
  const columns = `${alias}.node_key AS "nodeKey", ${alias}.lineage_key AS "lineageKey", ${chain} AS "namedChain"`;
  return `DISTINCT ${columns}, ${quarterSql(`${alias}.time_at`)} AS quarter`;
}

const TWIN_COLUMNS = columnsOf(SubmissionEntity, 'occurredAt', 'digest');

/**
 * Rows of a wild time stand under another one than the same attempt does where another node showed it in time. Which
 * of them counts for the chain may be another one from now on.
 */
export async function markTwins(
  rows: readonly SubmissionRecord[],
  memory: Pick<RecordMemory, 'names' | 'walks' | 'chainOf'>,
  marks: MarkBook,
  query: Query,
): Promise<void> {
  const isShared = sharedChains(memory);
  // A node may show one row as often as it likes.
  const paired = new Map<string, SubmissionRecord>();
  for (const row of rows) {
    if (row.occurredAt !== null && isShared(row)) paired.set(`${row.occurredAt} ${row.digest}`, row);
  }
  if (paired.size === 0) return;
  const wanted = TWIN_COLUMNS.unnest([...paired.values()], 'n');
  const found = await query<OwnedQuarter>(
    `SELECT ${selectQuarter('w')}
       FROM ${wanted.sql} JOIN submission w ON w.occurred_at = n.occurred_at AND w.digest = n.digest
      WHERE w.wild_time AND w.occurred_at IS NOT NULL`,
    wanted.parameters,
  );
  for (const row of found) marks.addRowOfChain(row, row.quarter);
}

/**
 * Rows without a lineage belong to another chain than before; so may rows that are the same as they.
 *
 * @param sequences of these rows alone; of all when left out
 */
export async function markRenamed(
  nodeKey: number,
  { since, before }: Renamed,
  marks: MarkBook,
  query: Query,
  sequences?: readonly bigint[],
): Promise<void> {
  const moved = `s.node_key = $1 AND s.lineage_key IS NULL AND s.from_position >= $2
    AND ($3::bigint[] IS NULL OR s.sequence = ANY ($3))`;
  const parameters = [nodeKey, since, sequences ?? null];
  const rows = await query<OwnedQuarter>(
    `SELECT ${selectQuarter('s')} FROM submission s WHERE ${moved}`,
    parameters,
  );
  if (rows.length === 0) return;
  for (const row of rows) {
    marks.addRow(row, row.quarter);
    if (before !== null) marks.addOfChain(before, row.quarter);
  }
  const twins = await query<OwnedQuarter>(
    `SELECT ${selectQuarter('w')}
       FROM submission s JOIN submission w ON w.occurred_at = s.occurred_at AND w.digest = s.digest
      WHERE ${moved} AND w.wild_time AND w.occurred_at IS NOT NULL AND w.node_key <> s.node_key`,
    parameters,
  );
  for (const row of twins) marks.addRowOfChain(row, row.quarter);
  // Fees of a DA height belong to the submissions there, one after the other: without these rows to others of them.
  const neighbours = await query<OwnedQuarter>(
    `SELECT ${selectQuarter('w')}
       FROM submission s JOIN submission w ON w.da_height = s.da_height
      WHERE ${moved} AND s.da_height IS NOT NULL AND w.node_key IS NOT NULL`,
    parameters,
  );
  for (const row of neighbours) marks.addRow(row, row.quarter);
}

/** Tells whether a row's chain has, or had, other nodes too. */
function sharedChains({
  names,
  walks,
  chainOf,
}: Pick<RecordMemory, 'names' | 'walks' | 'chainOf'>): (row: RowOwner) => boolean {
  const nodesOf = new Map([...names.nodesOf].map(([chain, nodes]) => [chain, new Set(nodes)]));
  for (const [lineageKey, chain] of chainOf) {
    const nodes = nodesOf.get(chain) ?? new Set();
    for (const { nodeKey } of walks.ofLineage(lineageKey)) nodes.add(nodeKey);
    nodesOf.set(chain, nodes);
  }
  return ({ lineageKey, namedChain }) => {
    const chain = lineageKey === null ? namedChain : chainOf.get(lineageKey);
    return typeof chain === 'string' && (nodesOf.get(chain)?.size ?? 0) > 1;
  };
}
