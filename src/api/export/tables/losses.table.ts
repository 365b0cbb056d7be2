import { nanosToMicros } from '../../../domain/time.js';
import { selectList } from '../../../platform/rows/row-columns.js';
import type { StatementSource } from '../../../platform/sql.js';
import { LossEntity } from '../../../tables/record/loss.entity.js';
import { LossKind } from '../../losses/loss.type.js';
import { filterLosses, toLoss, type LossRow } from '../../losses/losses.query.js';
import type { Cell, ExportColumn } from '../export-column.js';
import { readList, type ExportTable } from '../export-table.js';
import type { KeyedList } from '../page.js';
import { instant, texts, type ValuesOf, words } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';

/** What it takes beside `limit` and `cursor`. */
export const LOSS_PARAMETERS = {
  nodes: texts('ids of nodes'),
  chains: texts('chains that the nodes are of'),
  from: instant('only holes that reach this time or a later one'),
  to: instant('only holes that begin before this time'),
  kinds: words(Object.values(LossKind), 'kinds'),
};

const COLUMNS: readonly ExportColumn[] = [
  { name: 'id', kind: 'WORD' },
  { name: 'node', kind: 'TEXT' },
  { name: 'chain', kind: 'TEXT' },
  { name: 'kind', kind: 'WORD' },
  { name: 'after_sequence', kind: 'INT64' },
  { name: 'min_lost', kind: 'INT64' },
  { name: 'max_lost', kind: 'INT64' },
  { name: 'likely_lost', kind: 'INT64' },
  { name: 'from', kind: 'TIME' },
  { name: 'to', kind: 'TIME' },
  { name: 'explanation', kind: 'TEXT' },
];

const SELECT = `SELECT ${selectList(LossEntity, 'l')}, n.id, n.chain_id AS chain`;
const FROM = 'FROM loss l JOIN node n USING (node_key)';
const KEY: KeyedList['key'] = [{ sql: 'l.loss_position', type: 'bigint' }];

/** Rows that were never seen. */
export function lossesTable(source: StatementSource): ExportTable {
  return {
    columns: COLUMNS,
    open: (filter: ValuesOf<typeof LOSS_PARAMETERS>, page) => {
      const conditions = filterLosses(filter, new SqlLiterals());
      return readList(source, { name: 'losses', from: FROM, conditions, key: KEY }, SELECT, toCells, page);
    },
  };
}

function toCells(row: LossRow & { readonly chain: string | null }): Cell[][] {
  const { id, kind, afterSequence, minLost, maxLost, likelyLost, from, to, explanation } = toLoss(row);
  const begin = from === null ? null : nanosToMicros(from);
  return [
    [
      id,
      row.id,
      row.chain,
      kind,
      afterSequence,
      minLost,
      maxLost,
      likelyLost,
      begin,
      nanosToMicros(to),
      explanation,
    ],
  ];
}
