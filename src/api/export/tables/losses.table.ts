import { nanosToMicros } from '../../../domain/time.js';
import { lossesKnownAt } from '../../../projections/record/readers/known-rows.reader.js';
import { Loss, LossKind, type LossRow } from '../../losses/loss.type.js';
import { filterLosses, LOSS_KEY, SELECT_LOSS } from '../../losses/losses.query.js';
import type { Cell, ExportColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import { readList, type ExportTable } from '../export-table.js';
import { instant, texts, type ValuesOf, words } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';
import { CHANGE_PARAMETERS, inChangeOrder, travel } from './travel.js';

/** What it takes beside `limit` and `cursor`. */
export const LOSS_PARAMETERS = {
  nodes: texts('ids of nodes'),
  chains: texts('chains that the nodes are of'),
  from: instant('only holes that reach this time or a later one'),
  to: instant('only holes that begin before this time'),
  kinds: words(Object.values(LossKind), 'kinds'),
  ...CHANGE_PARAMETERS,
};

const COLUMNS: readonly ExportColumn[] = [
  { name: 'id', kind: 'WORD' },
  { name: 'node', kind: 'TEXT' },
  { name: 'chain', kind: 'TEXT' },
  { name: 'time', kind: 'TIME' },
  { name: 'kind', kind: 'WORD' },
  { name: 'after_sequence', kind: 'INT64' },
  { name: 'min_lost', kind: 'INT64' },
  { name: 'max_lost', kind: 'INT64' },
  { name: 'likely_lost', kind: 'INT64' },
  { name: 'from', kind: 'TIME' },
  { name: 'to', kind: 'TIME' },
  { name: 'explanation', kind: 'TEXT' },
  { name: 'updated_at', kind: 'TIME' },
  { name: 'withdrawn', kind: 'BOOL' },
  { name: 'open', kind: 'BOOL' },
];

type LossRowOfChain = LossRow & { readonly chain: string | null };

const SELECT = `${SELECT_LOSS}, n.chain_id AS chain`;

/** Rows that were never seen. */
export function lossesTable(readers: ExportReaders): ExportTable {
  const { source } = readers;
  return {
    open: async (values: ValuesOf<typeof LOSS_PARAMETERS>, page) => {
      const travelled = await travel(readers, values);
      const { filter, past, firstChange } = travelled;
      const conditions = filterLosses(filter, firstChange, new SqlLiterals());
      const from = `FROM ${lossesKnownAt(past.knownAt)} JOIN node n USING (node_key)`;
      const list = inChangeOrder({ name: 'losses', from, conditions, key: LOSS_KEY }, 'l', travelled);
      const made = {
        columns: COLUMNS,
        select: SELECT,
        toCells: (rows: readonly LossRowOfChain[]) => rows.map(toCells),
      };
      return readList(source, list, made, page);
    },
  };
}

function toCells(row: LossRowOfChain): Cell[] {
  const loss = new Loss(row);
  const { id, kind, afterSequence, minLost, maxLost, likelyLost, from, to, explanation, updatedAt } = loss;
  const begin = from === null ? null : nanosToMicros(from);
  return [
    id,
    row.id,
    row.chain,
    nanosToMicros(loss.time),
    kind,
    afterSequence,
    minLost,
    maxLost,
    likelyLost,
    begin,
    nanosToMicros(to),
    explanation,
    updatedAt === null ? null : nanosToMicros(updatedAt),
    loss.withdrawn,
    loss.open,
  ];
}
