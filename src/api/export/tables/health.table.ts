import type { Clock } from '../../../platform/clock.js';
import { HealthComponents, type HealthInterval } from '../../health/health.type.js';
import { fromHealth, HEALTH_COLUMNS, toHealthIntervals, type HealthRow } from '../../health/history.query.js';
import { propertyColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import { readList, type ExportTable, type KeyedList } from '../export-table.js';
import { instant, texts, type ParameterValues, words } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';
import { travel, TRAVEL_PARAMETERS } from './travel.js';

export const HEALTH_PARAMETERS = {
  nodes: texts('ids of nodes'),
  chains: texts('chains of the nodes'),
  component: words(Object.values(HealthComponents), 'components'),
  from: instant('only intervals that reach beyond this time; intervals are never cut'),
  to: instant('only intervals that begin before this time'),
  ...TRAVEL_PARAMETERS,
};

type HealthRowOfChain = HealthRow & { readonly chain: string | null };

const column = propertyColumn<HealthInterval & Pick<HealthRowOfChain, 'node' | 'chain' | 'component'>>;
const COLUMNS = [
  column('node', 'TEXT'),
  column('chain', 'TEXT'),
  column('component', 'WORD'),
  column('time', 'TIME'),
  column('from', 'TIME'),
  column('to', 'TIME'),
  column('state', 'WORD'),
  column('rule', 'WORD'),
  column('reason', 'TEXT'),
  column('claim', 'TEXT'),
  column('claimDiffers', 'BOOL'),
  column('setting', 'TEXT'),
  column('limit', 'DOUBLE'),
];

const SELECT = `${HEALTH_COLUMNS}, own.chain_id AS chain`;
const KEY: KeyedList['key'] = [
  { sql: 'i.node', type: 'text' },
  { sql: 'i.component', type: 'text' },
  { sql: 'i.from_at', type: 'timestamptz' },
];

export function healthTable(readers: ExportReaders, clock: Clock): ExportTable {
  const { source } = readers;
  return {
    open: async (values: ParameterValues<typeof HEALTH_PARAMETERS>, page) => {
      const { filter, past } = await travel(readers, values);
      const literals = new SqlLiterals();
      const conditions = [
        'i.to_position IS NULL',
        ...literals.oneOf('i.node', filter.nodes),
        ...literals.oneOf('own.chain_id', filter.chains),
        ...literals.oneOf('i.component', filter.component),
        ...literals.compareTime("coalesce(i.to_at, 'infinity')", '>', filter.from),
        ...literals.compareTime('i.from_at', '<', filter.to),
      ];
      const from = `${fromHealth(past)} LEFT JOIN node own ON own.id = i.node`;
      const list = { name: 'health', from, conditions, key: KEY };
      const toRows = (rows: readonly HealthRowOfChain[]) =>
        rows.flatMap((row) => {
          const { node, chain, component } = row;
          return toHealthIntervals(row, clock.now(), past).map((one) =>
            Object.assign(one, { node, chain, component }),
          );
        });
      return readList(source, list, { columns: COLUMNS, select: SELECT, toRows }, page);
    },
  };
}
