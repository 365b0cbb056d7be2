import { mayHaveLanded } from '../../../domain/evidence/evidence.js';
import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../projection.js';
import { quarterSql } from '../../quarters.js';
import { applyReport, UNKNOWN, type Row, type RowsReport } from '../decisions/row.js';
import type { StepBook } from '../decisions/steps.js';
import type { Origin } from '../facts/facts.js';
import type { RecordMemory } from '../memory.js';
import { countAttempts } from './attempts.js';
import type { MarkBook, RowOwner } from './marks.js';
import { SELECT_ROW, writeRows } from './stored-rows.js';

/**
 * The stored rows that an event's report may concern, ordered by sequence.
 * @param place the node's key, the first sequence, and the most rows
 */
function getRowsTold(
  { namespaces, history, chains }: RowsReport,
  place: readonly [nodeKey: number, from: bigint, most: number],
  query: Query,
): Promise<Row[]> {
  const parameters: unknown[] = [...place];
  const conditions: string[] = [];
  if (history !== undefined || chains) conditions.push('told_lineage_key IS NULL');
  if (namespaces) {
    conditions.push(`kind = ${UNKNOWN} AND namespace_key = ANY ($4::int[])`);
    parameters.push([namespaces.header, namespaces.data]);
  }
  const sequences = conditions.map(
    (condition) =>
      `(SELECT sequence FROM submission WHERE node_key = $1 AND sequence >= $2 AND ${condition} ORDER BY sequence LIMIT $3)`,
  );
  return query(
    `SELECT ${SELECT_ROW} FROM (SELECT sequence FROM (${sequences.join(' UNION ')}) u ORDER BY 1 LIMIT $3) w
       JOIN submission s ON s.node_key = $1 AND s.sequence = w.sequence ORDER BY s.sequence`,
    parameters,
  );
}

/**
 * Applies an event's report to stored rows and writes them, page by page. Requests new decisions on everything that depends
 * on them.
 *
 * @param most the most rows in memory
 */
export async function applyToRows(
  event: Origin,
  told: RowsReport,
  { memory, book, marks }: { memory: RecordMemory; book: StepBook; marks: MarkBook },
  most: number,
  query: Query,
): Promise<void> {
  const { nodeKey, position } = event;
  if (told.namespaces) {
    const { header, data } = told.namespaces;
    memory.told.set(nodeKey, { HEADER: header, DATA: data });
  }
  let rows: Row[];
  let from = 0n;
  do {
    rows = await getRowsTold(told, [nodeKey, from, most], query);
    const changed: Row[] = [];
    const isAsked = new Set<string | null>();
    /** Each moved row twice: with its new chain, and with its old one. */
    const moved: Row[] = [];
    for (const row of rows) {
      const { chainId: before, daHeight } = row;
      from = row.sequence + 1n;
      if (!applyReport(row, told, position, memory.chainOf)) continue;
      changed.push(row);
      if (row.chainId !== before) {
        moved.push(row, { ...row, chainId: before });
        book.touch(event, before, daHeight);
      }
      if (row.status === 0) book.touch(event, row.chainId, row.daHeight);
      memory.highest.raise(row.chainId, row.daHeight);
      if (!mayHaveLanded(row) && row.chainId === before) continue;
      isAsked.add(before).add(row.chainId);
      if (row.status === 0) for (const chain of [before, row.chainId]) book.reopenAll(event, chain);
    }
    if (isAsked.size > 0) {
      const lowest = await findLowest(nodeKey, changed, query);
      for (const chain of isAsked) book.reopen(event, chain, lowest);
    }
    await writeRows(changed, marks, query);
    await writeRows(await countAttempts(moved, position, memory, query), marks, query);
    await markMoved(moved, marks, query);
  } while (rows.length === most);
}

/** Marks the figures of the chain that rows have left. */
async function markMoved(moved: readonly Row[], marks: MarkBook, query: Query): Promise<void> {
  if (moved.length === 0) return;
  for (const { chainId, timeAt } of moved) marks.addOfChain(chainId, timeAt);
  // The fees of a DA height are assigned to its submissions in order: without these rows the others get different fees.
  const neighbours = await query<RowOwner & { quarter: Micros }>(
    `SELECT DISTINCT w.node_key AS "nodeKey", w.chain_id AS "chainId", ${quarterSql('w.time_at')} AS quarter FROM submission w
      WHERE w.da_height = ANY ($1::bigint[]) AND w.chain_id = ANY ($2::text[]) AND w.node_key IS NOT NULL`,
    [moved.flatMap(({ daHeight }) => daHeight ?? []), [...new Set(moved.map(({ chainId }) => chainId))]],
  );
  for (const row of neighbours) marks.addRow(row, row.quarter);
}

/** The lowest DA height at which groups may be changed rows of a node, or belong to a gap between them. */
async function findLowest(nodeKey: number, changed: readonly Row[], query: Query): Promise<bigint> {
  const afterOf = (name: 'headerAfter' | 'dataAfter') => [
    ...new Set(changed.flatMap((row) => row[name] ?? [])),
  ];
  const [found] = await query<{ lowest: bigint }>(
    `SELECT coalesce(min(coalesce(da_from, 0)), 0) AS lowest FROM bracket
      WHERE node_key = $1 AND (kind = 0 AND after_sequence = ANY ($2::bigint[]) OR kind = 1 AND after_sequence = ANY ($3::bigint[])
         OR closed_position = ANY ($4::bigint[]) OR closed_position IS NULL)`,
    [
      nodeKey,
      afterOf('headerAfter'),
      afterOf('dataAfter'),
      [...new Set(changed.map((row) => row.fromPosition))],
    ],
  );
  return found?.lowest ?? 0n;
}
