import { mayHaveLanded } from '../../../domain/evidence/evidence.js';
import type { Query } from '../../projection.js';
import type { Origin } from '../facts/facts.js';
import type { RecordMemory } from '../memory.js';
import { countMoved } from './attempts.js';
import { markMoved, type MarkBook, type MovedRow } from './marks.js';
import type { StepBook } from '../decisions/steps.js';
import { tellRow, UNKNOWN, type Row, type ToldOfRows } from '../decisions/row.js';
import { SELECT_ROW, writeRows } from './stored-rows.js';

/** Which rows are told. */
interface RowsTold extends Pick<Origin, 'nodeKey' | 'position'> {
  /** The first sequence. */
  readonly from: bigint;
  /** Rows at most. */
  readonly limit: number;
}

/** The stored rows that an event may tell something of, by sequence. */
function getRowsTold(
  { namespaces, history, chain }: ToldOfRows,
  { nodeKey, position, from, limit }: RowsTold,
  query: Query,
): Promise<Row[]> {
  const parameters: unknown[] = [nodeKey, from, limit, position];
  const conditions: string[] = [];
  if (history !== undefined || chain) conditions.push('told_lineage_key IS NULL');
  if (namespaces) {
    conditions.push(`kind = ${UNKNOWN} AND namespace_key = ANY ($5::int[])`);
    parameters.push([namespaces.header, namespaces.data]);
  }
  const sequences = conditions.map(
    (condition) => `(SELECT sequence FROM submission
       WHERE node_key = $1 AND sequence >= $2 AND from_position < $4 AND ${condition} ORDER BY sequence LIMIT $3)`,
  );
  return query(
    `SELECT ${SELECT_ROW} FROM (SELECT DISTINCT sequence FROM (${sequences.join(' UNION ALL ')}) u ORDER BY 1 LIMIT $3) w
       JOIN submission s ON s.node_key = $1 AND s.sequence = w.sequence ORDER BY s.sequence`,
    parameters,
  );
}

/**
 * Tells stored rows what an event says of them, and writes it, so many at a time. What hangs on them is to be decided anew.
 *
 * @param most rows in memory at a time
 */
export async function tellRows(
  event: Origin,
  told: ToldOfRows,
  { memory, book, marks }: { memory: RecordMemory; book: StepBook; marks: MarkBook },
  most: number,
  query: Query,
): Promise<void> {
  const { nodeKey, position } = event;
  if (told.namespaces) {
    const { header, data } = told.namespaces;
    memory.told.set(nodeKey, { HEADER: header, DATA: data });
  }
  for (let from: bigint | undefined = 0n; from !== undefined;) {
    const rows: Row[] = await getRowsTold(told, { nodeKey, position, from, limit: most }, query);
    const changed: Row[] = [];
    const moved: MovedRow[] = [];
    for (const row of rows) {
      const { chainId: before, daHeight } = row;
      if (!tellRow(row, told, position, memory.chainOf)) continue;
      changed.push(row);
      if (row.chainId !== before) {
        moved.push({ row, before });
        book.touch(event, before, daHeight);
      }
      if (row.status === 0) book.touch(event, row.chainId, row.daHeight);
      memory.highest.raise(row.chainId, row.daHeight);
      if (mayHaveLanded(row)) for (const chain of [before, row.chainId]) book.reopen(event, chain, 0n);
    }
    await writeRows(changed, marks, query);
    await writeRows(await countMoved(moved, position, memory, query), marks, query);
    await markMoved(moved, marks, query);
    const last = rows.at(-1);
    from = last && rows.length === most ? last.sequence + 1n : undefined;
  }
}
