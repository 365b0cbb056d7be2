import { blocksKnownAt } from '../../../projections/record/readers/known-rows.reader.js';
import { filterBlocks, keyConditions } from '../../blocks/block-filter.js';
import { BLOCK_FIELDS, BLOCK_NAMES } from '../../blocks/block-fields.js';
import { BLOCK_ID_KEY } from '../../blocks/block-order.js';
import { fileColumns } from '../../graphql/flat-fields.js';
import type { ExportReaders } from '../export-readers.js';
import { copyList, type ExportTable } from '../export-table.js';
import { bool, instant, int64, texts, type ParameterValues } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';
import { CHANGE_PARAMETERS, inChangeOrder, travel } from './travel.js';

export const BLOCK_PARAMETERS = {
  nodes: texts('ids of nodes'),
  chains: texts('ids of chains'),
  from: instant('time of the block, inclusive'),
  to: instant('time of the block, exclusive'),
  heightFrom: int64('inclusive'),
  heightTo: int64('inclusive'),
  included: bool('whether header and data are both included'),
  ...CHANGE_PARAMETERS,
};

const COLUMNS = fileColumns(BLOCK_FIELDS);

export function blocksTable(readers: ExportReaders): ExportTable {
  const { source } = readers;
  return {
    open: async (values: ParameterValues<typeof BLOCK_PARAMETERS>, page) => {
      const travelled = await travel(readers, values);
      const { filter, past, firstChange } = travelled;
      const literals = new SqlLiterals();
      const conditions = [
        ...keyConditions(filter, literals),
        ...filterBlocks(filter, literals),
        ...literals.compare('b.change', '>=', firstChange),
      ];
      const from = `FROM ${blocksKnownAt(past.knownAt)}`;
      const list = inChangeOrder({ name: 'blocks', from, conditions, key: BLOCK_ID_KEY }, 'b', travelled);
      return copyList(source, list, COLUMNS, BLOCK_NAMES, page);
    },
  };
}
