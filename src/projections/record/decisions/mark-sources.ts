import type { Micros } from '../../../domain/time.js';
import { columnsOf } from '../../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../../tables/record/submission.entity.js';
import type { Query } from '../../projection.js';
import type { RecordMemory } from '../memory.js';
import { quarterSql } from '../../quarters.js';
import type { MarkBook, RowOwner } from './marks.js';
import type { Row } from './row.js';

/** A quarter hour with rows of an owner. */
interface OwnedQuarter extends RowOwner {
  readonly quarter: Micros;
}

/** The columns that two nodes' rows of one attempt share. */
type Twin = Pick<Row, 'occurredAt' | 'digest'>;

/** A row that has gone over to another chain. */
export interface MovedRow {
  readonly row: Row;
  /** The chain that it left; null for none. */
  readonly before: string | null;
}

/** SQL: the columns of `submission w` that make an {@link OwnedQuarter}. */
const SELECT_QUARTER = `DISTINCT w.node_key AS "nodeKey", w.chain_id AS "chainId", ${quarterSql('w.time_at')} AS quarter`;

const TWIN_COLUMNS = columnsOf(SubmissionEntity, 'occurredAt', 'digest');

/**
 * Rows of a wild time stand under another one than the same attempt does where another node showed it in time. Which
 * of them counts for the chain may be another one from now on.
 */
export async function markTwins(rows: readonly Twin[], marks: MarkBook, query: Query): Promise<void> {
  // A node may show one row as often as it likes.
  const paired = new Map<string, Twin>();
  for (const row of rows) if (row.occurredAt !== null) paired.set(`${row.occurredAt} ${row.digest}`, row);
  if (paired.size === 0) return;
  const wanted = TWIN_COLUMNS.unnest([...paired.values()], 'n');
  const found = await query<OwnedQuarter>(
    `SELECT ${SELECT_QUARTER}
       FROM ${wanted.sql} JOIN submission w ON w.occurred_at = n.occurred_at AND w.digest = n.digest
      WHERE w.wild_time AND w.occurred_at IS NOT NULL`,
    wanted.parameters,
  );
  for (const { chainId, quarter } of found) marks.addOfChain(chainId, quarter);
}

/** Marks the figures of the chain that rows have left. */
export async function markMoved(moved: readonly MovedRow[], marks: MarkBook, query: Query): Promise<void> {
  if (moved.length === 0) return;
  for (const { row, before } of moved) marks.addOfChain(before, row.timeAt);
  await markTwins(
    moved.map(({ row }) => row),
    marks,
    query,
  );
  // Fees of a DA height belong to the submissions there, one after the other: without these rows to others of them.
  const chains = new Set(moved.flatMap(({ row, before }) => [row.chainId, before]));
  const neighbours = await query<OwnedQuarter>(
    `SELECT ${SELECT_QUARTER} FROM submission w
      WHERE w.da_height = ANY ($1::bigint[]) AND w.chain_id = ANY ($2::text[]) AND w.node_key IS NOT NULL`,
    [moved.flatMap(({ row }) => row.daHeight ?? []), [...chains]],
  );
  for (const row of neighbours) marks.addRow(row, row.quarter);
}

/** The rows of chains that have, or had, several nodes. Other rows have no twins. */
export function ofSharedChains<R extends Pick<Row, 'chainId'>>(
  rows: readonly R[],
  { names, walks, lineagesOf }: Pick<RecordMemory, 'names' | 'walks' | 'lineagesOf'>,
): R[] {
  const chains = [...new Set(rows.map(({ chainId }) => chainId ?? ''))];
  const shared = new Set<string | null>(
    chains.filter((chain) => {
      const nodes = new Set(names.nodesOf.get(chain));
      for (const key of lineagesOf.get(chain) ?? [])
        for (const { nodeKey } of walks.ofLineage(key)) nodes.add(nodeKey);
      return nodes.size > 1;
    }),
  );
  return rows.filter(({ chainId }) => shared.has(chainId));
}
