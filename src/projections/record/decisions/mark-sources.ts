import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../projection.js';
import { quarterSql } from '../../quarters.js';
import type { MovedRow } from './attempts.js';
import type { MarkBook, RowOwner } from './marks.js';

/** A quarter hour with rows of an owner. */
interface OwnedQuarter extends RowOwner {
  readonly quarter: Micros;
}

/** Marks the figures of the chain that rows have left. */
export async function markMoved(moved: readonly MovedRow[], marks: MarkBook, query: Query): Promise<void> {
  if (moved.length === 0) return;
  for (const { row, before } of moved) marks.addOfChain(before, row.timeAt);
  // Fees of a DA height belong to the submissions there, one after the other: without these rows to others of them.
  const chains = new Set(moved.flatMap(({ row, before }) => [row.chainId, before]));
  const neighbours = await query<OwnedQuarter>(
    `SELECT DISTINCT w.node_key AS "nodeKey", w.chain_id AS "chainId", ${quarterSql('w.time_at')} AS quarter FROM submission w
      WHERE w.da_height = ANY ($1::bigint[]) AND w.chain_id = ANY ($2::text[]) AND w.node_key IS NOT NULL`,
    [moved.flatMap(({ row }) => row.daHeight ?? []), [...chains]],
  );
  for (const row of neighbours) marks.addRow(row, row.quarter);
}
