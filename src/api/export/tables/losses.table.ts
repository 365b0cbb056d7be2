import { lossesKnownAt } from '../../../projections/record/readers/known-rows.reader.js';
import { fileColumns, type FlatField } from '../../graphql/flat-fields.js';
import { LOSS_FIELDS, LossKind, type LossRow, SELECT_LOSS } from '../../losses/loss-fields.js';
import { Loss } from '../../losses/loss.type.js';
import { filterLosses, LOSS_KEY } from '../../losses/losses.query.js';
import type { Cell, ExportColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import { readList, type ExportTable } from '../export-table.js';
import { instant, texts, type ValuesOf, words } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';
import { CHANGE_PARAMETERS, inChangeOrder, travel } from './travel.js';

/** The parameters besides `limit` and `cursor`. */
export const LOSS_PARAMETERS = {
  nodes: texts('ids of nodes'),
  chains: texts('chains of the nodes'),
  from: instant('only gaps that reach this time or a later one'),
  to: instant('only gaps that begin before this time'),
  kinds: words(Object.values(LossKind), 'kinds'),
  ...CHANGE_PARAMETERS,
};

const NAMES = Object.entries<FlatField<unknown>>(LOSS_FIELDS).flatMap(([name, { file }]) =>
  file ? [name as keyof LossRow] : [],
);
/** Our explanation comes before the columns about changes. */
const SENTENCE_AT = NAMES.indexOf('updatedAt');
const COLUMNS = (fileColumns(LOSS_FIELDS) as readonly ExportColumn[]).toSpliced(SENTENCE_AT, 0, {
  name: 'explanation',
  kind: 'TEXT',
});

/** Exports gaps: rows that were never observed. */
export function lossesTable(readers: ExportReaders): ExportTable {
  const { source } = readers;
  return {
    open: async (values: ValuesOf<typeof LOSS_PARAMETERS>, page) => {
      const travelled = await travel(readers, values);
      const { filter, past, firstChange } = travelled;
      const conditions = filterLosses(filter, firstChange, new SqlLiterals());
      const from = `FROM ${lossesKnownAt(past.knownAt)} JOIN node n USING (node_key)`;
      const list = inChangeOrder({ name: 'losses', from, conditions, key: LOSS_KEY }, 'l', travelled);
      const toCells = (row: LossRow): Cell[] =>
        NAMES.map((name): Cell => row[name]).toSpliced(SENTENCE_AT, 0, new Loss(row).explanation);
      const made = {
        columns: COLUMNS,
        select: SELECT_LOSS,
        toCells: (rows: readonly LossRow[]) => rows.map(toCells),
      };
      return readList(source, list, made, page);
    },
  };
}
