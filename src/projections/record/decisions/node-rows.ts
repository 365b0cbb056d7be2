import { kindCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { Query } from '../../projection.js';
import { decide } from '../record-attempt.js';
import type { RecordFact } from '../record-facts.js';
import { SELECT_ROW, type Row, type Rows } from './row.js';
import type { RecordMemory } from './record-projection.js';
import type { StepBook } from './steps.js';

const UNKNOWN = kindCodeOf('UNKNOWN');

/** Changes what an event tells of rows that were recorded before it: their kind, their history, their chain. */
export async function changeRowsOf(
  facts: readonly RecordFact[],
  { memory, rows, book }: { readonly memory: RecordMemory; readonly rows: Rows; readonly book: StepBook },
  query: Query,
  changed: Set<Row>,
): Promise<void> {
  for (const fact of facts) {
    if (fact.type === 'described') await tellKinds(fact);
    else if (fact.type === 'joined') await join(fact);
    else if (fact.type === 'chain' && fact.renamed) await rename(fact, fact.renamed);
  }

  async function tellKinds(fact: RecordFact & { type: 'described' }): Promise<void> {
    const { nodeKey, headerNamespace, dataNamespace, position } = fact;
    memory.told.set(nodeKey, { HEADER: headerNamespace, DATA: dataNamespace });
    const told = await getRows(nodeKey, `s.kind = ${UNKNOWN} AND s.namespace_key = ANY ($2::int[])`, [
      [headerNamespace, dataNamespace],
    ]);
    for (const row of told) {
      const [isHeader, isData] = [row.namespaceKey === headerNamespace, row.namespaceKey === dataNamespace];
      const kind = kindCodeOf(isHeader && isData ? 'MIXED' : isHeader ? 'HEADER' : 'DATA');
      if (row.kind !== UNKNOWN || !decide(row as Parameters<typeof decide>[0], position, { kind })) continue;
      changed.add(row);
      book.touchRow(fact, row);
    }
  }

  async function join(fact: RecordFact & { type: 'joined' }): Promise<void> {
    const chain = memory.chainOf.get(fact.to);
    for (const row of await getRows(fact.nodeKey, 's.told_lineage_key IS NULL', [])) {
      if (row.toldLineageKey !== null || row.namedChain !== chain) continue;
      row.toldLineageKey = fact.to;
      if (row.lineageKey === null) decide(row as Parameters<typeof decide>[0], fact.position, { lineageKey: fact.to });
      changed.add(row);
      book.touchRow(fact, row);
    }
  }

  async function rename(
    fact: RecordFact & { type: 'chain' },
    { since, before }: { readonly since: bigint; readonly before: string | null },
  ): Promise<void> {
    const moved = await getRows(fact.nodeKey, 's.told_lineage_key IS NULL AND s.from_position >= $2', [since]);
    for (const row of moved) {
      if (before !== null && row.status === 0) book.touch(fact, before, row.daHeight);
      row.namedChain = fact.chainId;
      const isDecided = decide(row as Parameters<typeof decide>[0], fact.position, { lineageKey: null });
      if (isDecided) changed.add(row);
      book.touchRow(fact, row);
    }
  }

  async function getRows(nodeKey: number, condition: string, parameters: readonly unknown[]): Promise<Row[]> {
    const found = await query<Row>(
      `SELECT ${SELECT_ROW} FROM submission s WHERE s.node_key = $1 AND ${condition}`,
      [nodeKey, ...parameters],
    );
    return found.map((row) => rows.identify(row));
  }
}
