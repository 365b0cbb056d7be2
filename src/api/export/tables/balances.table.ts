import { knownIn } from '../../systems/da-nodes.query.js';
import { numbersOf } from '../../graphql/keyed-list.js';
import type { SqlColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import { copyList, type ExportTable } from '../export-table.js';
import { instant, texts, type ParameterValues } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';
import { travel, TRAVEL_PARAMETERS } from './travel.js';

export const BALANCE_PARAMETERS = {
  accounts: texts('addresses of accounts'),
  nodes: texts('ids of the nodes whose DA nodes reported the balances'),
  from: instant('time of the balance, inclusive'),
  to: instant('time of the balance, exclusive'),
  ...TRAVEL_PARAMETERS,
};

const COLUMNS: readonly SqlColumn[] = [
  { name: 'account', kind: 'TEXT', sql: 'b.account' },
  { name: 'time', kind: 'TIME', sql: 'b.observed_at' },
  { name: 'node', kind: 'TEXT', sql: 'b.node' },
  { name: 'amount_utia', kind: 'DECIMAL', sql: 'b.amount' },
  { name: 'change_utia', kind: 'DECIMAL', sql: 'b.change' },
  { name: 'da_height', kind: 'INT64', sql: 'b.da_height' },
  { name: 'detail', kind: 'TEXT', sql: 'b.detail' },
];

/** Exports the balances of the accounts that pay for submissions, in the order in which they were recorded. */
export function balancesTable(readers: ExportReaders): ExportTable {
  const { source } = readers;
  return {
    open: async (values: ParameterValues<typeof BALANCE_PARAMETERS>, page) => {
      const { filter, past } = await travel(readers, values);
      const literals = new SqlLiterals();
      const conditions = [
        ...knownIn(past, 'b', literals),
        ...literals.oneOf('b.account', filter.accounts),
        ...literals.oneOf('b.node', filter.nodes),
        ...literals.compareTime('b.observed_at', '>=', filter.from),
        ...literals.compareTime('b.observed_at', '<', filter.to),
      ];
      const list = {
        name: 'balances',
        from: 'FROM balance b',
        conditions,
        key: numbersOf('b.from_position'),
      };
      return copyList(source, list, COLUMNS, '', page);
    },
  };
}
