import { lossesKnownAt } from '../../../projections/record/readers/known-rows.reader.js';
import { columnNameOf } from '../../../tables/columns.js';
import type { FlatField } from '../../graphql/flat-fields.js';
import { LOSS_FIELDS, LossKinds, type LossRow, SELECT_LOSS } from '../../losses/loss-fields.js';
import { Loss } from '../../losses/loss.type.js';
import { filterLosses, LOSS_KEY } from '../../losses/losses.query.js';
import type { MadeColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import { readList, type ExportTable } from '../export-table.js';
import { instant, texts, type ParameterValues, words } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';
import { CHANGE_PARAMETERS, inChangeOrder, travel } from './travel.js';

export const LOSS_PARAMETERS = {
  nodes: texts('ids of nodes'),
  chains: texts('chains of the nodes'),
  from: instant('only gaps that reach this time or a later one'),
  to: instant('only gaps that begin before this time'),
  kinds: words(Object.values(LossKinds), 'kinds'),
  ...CHANGE_PARAMETERS,
};

const FIELDS = Object.entries<FlatField<unknown>>(LOSS_FIELDS).flatMap(
  ([field, { file }]): MadeColumn<LossRow>[] => {
    if (!file) return [];
    const { name = columnNameOf(field), kind } = file;
    return [{ name, kind, read: (row) => row[field as keyof LossRow] }];
  },
);
const EXPLANATION: MadeColumn<LossRow> = {
  name: 'explanation',
  kind: 'TEXT',
  read: (row) => new Loss(row).explanation,
};
/** The explanation comes before the columns about changes. */
const COLUMNS = FIELDS.toSpliced(
  FIELDS.findIndex(({ name }) => name === 'updated_at'),
  0,
  EXPLANATION,
);

/** Exports gaps: rows that were never observed. */
export function lossesTable(readers: ExportReaders): ExportTable {
  const { source } = readers;
  return {
    open: async (values: ParameterValues<typeof LOSS_PARAMETERS>, page) => {
      const travelled = await travel(readers, values);
      const { filter, past, firstChange } = travelled;
      const conditions = filterLosses(filter, firstChange, new SqlLiterals());
      const from = `FROM ${lossesKnownAt(past.knownAt)} JOIN node n USING (node_key)`;
      const list = inChangeOrder({ name: 'losses', from, conditions, key: LOSS_KEY }, 'l', travelled);
      const toRows = (rows: readonly LossRow[]) => rows;
      return readList(source, list, { columns: COLUMNS, select: SELECT_LOSS, toRows }, page);
    },
  };
}
