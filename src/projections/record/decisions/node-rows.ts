import { kindCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { Query } from '../../projection.js';
import type { ToldOfRows } from '../facts/facts.js';
import type { RecordMemory } from '../memory.js';
import { decide, SELECT_ROW, takeBack, type Row, type Rows } from './row.js';

const UNKNOWN = kindCodeOf('UNKNOWN');

/** Which rows are told. */
interface RowsTold {
  readonly nodeKey: number;
  /** Of the event: they were recorded before it. */
  readonly position: bigint;
  /** The first sequence. */
  readonly from: bigint;
  /** Rows at most. */
  readonly limit: number;
}

/** The rows that it may be told of, by sequence. */
export async function getRowsTold(
  { namespaces, history, chain }: ToldOfRows,
  { nodeKey, position, from, limit }: RowsTold,
  rows: Rows,
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
  const found = await query<Row>(
    `SELECT ${SELECT_ROW} FROM (SELECT DISTINCT sequence FROM (${sequences.join(' UNION ALL ')}) u ORDER BY 1 LIMIT $3) w
       JOIN submission s ON s.node_key = $1 AND s.sequence = w.sequence ORDER BY s.sequence`,
    parameters,
  );
  return found.map((row) => rows.identify(row));
}

/** Tells a row. @returns whether it changed */
export function tellRow(
  row: Row,
  { namespaces, history, chain }: ToldOfRows,
  position: bigint,
  { chainOf }: Pick<RecordMemory, 'chainOf'>,
): boolean {
  let isChanged = false;
  if (chain && row.toldLineageKey === null && row.fromPosition >= chain.since) {
    isChanged = decide(row, position, { chainId: chain.name, lineageKey: null });
    if (row.status !== 0 && row.daHeight !== null) takeBack(row, position);
  }
  if (history !== undefined && row.toldLineageKey === null && row.chainId === chainOf.get(history)) {
    row.toldLineageKey = history;
    isChanged = true;
    if (row.lineageKey === null) decide(row, position, { lineageKey: history });
  }
  if (namespaces && row.kind === UNKNOWN && row.namespaceKey !== null) {
    const isHeader = row.namespaceKey === namespaces.header;
    const isData = row.namespaceKey === namespaces.data;
    const kind = isHeader && isData ? 'MIXED' : isHeader ? 'HEADER' : isData ? 'DATA' : 'UNKNOWN';
    isChanged = decide(row, position, { kind: kindCodeOf(kind) }) || isChanged;
  }
  return isChanged;
}
