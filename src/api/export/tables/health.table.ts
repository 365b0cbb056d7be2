import { nanosToMicros } from '../../../domain/time.js';
import type { Clock } from '../../../platform/clock.js';
import { HealthComponents } from '../../health/health.type.js';
import { fromHealth, HEALTH_COLUMNS, toHealthIntervals, type HealthRow } from '../../health/history.query.js';
import type { Cell, ExportColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import { readList, type ExportTable } from '../export-table.js';
import type { KeyedList } from '../page.js';
import { instant, texts, type ValuesOf, words } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';
import { travel, TRAVEL_PARAMETERS } from './travel.js';

/** The parameters besides `limit` and `cursor`. */
export const HEALTH_PARAMETERS = {
  nodes: texts('ids of nodes'),
  chains: texts('chains of the nodes'),
  component: words(Object.values(HealthComponents), 'components'),
  from: instant('only intervals that reach beyond this time; intervals are never cut'),
  to: instant('only intervals that begin before this time'),
  ...TRAVEL_PARAMETERS,
};

const COLUMNS: readonly ExportColumn[] = [
  { name: 'node', kind: 'TEXT' },
  { name: 'chain', kind: 'TEXT' },
  { name: 'component', kind: 'WORD' },
  { name: 'time', kind: 'TIME' },
  { name: 'from', kind: 'TIME' },
  { name: 'to', kind: 'TIME' },
  { name: 'state', kind: 'WORD' },
  { name: 'rule', kind: 'WORD' },
  { name: 'reason', kind: 'TEXT' },
  { name: 'claim', kind: 'TEXT' },
  { name: 'claim_differs', kind: 'BOOL' },
  { name: 'setting', kind: 'TEXT' },
  { name: 'limit', kind: 'DOUBLE' },
];

type HealthRowOfChain = HealthRow & { readonly chain: string | null };

const SELECT = `${HEALTH_COLUMNS}, own.chain_id AS chain`;
const KEY: KeyedList['key'] = [
  { sql: 'i.node', type: 'text' },
  { sql: 'i.component', type: 'text' },
  { sql: 'i.from_at', type: 'timestamptz' },
];

/** Exports the health intervals of nodes' components. */
export function healthTable(readers: ExportReaders, clock: Clock): ExportTable {
  const { source } = readers;
  return {
    open: async (values: ValuesOf<typeof HEALTH_PARAMETERS>, page) => {
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
      const toIntervals = (row: HealthRowOfChain): Cell[][] =>
        toHealthIntervals(row, clock.now(), past).map((interval) => [
          row.node,
          row.chain,
          row.component,
          nanosToMicros(interval.time),
          nanosToMicros(interval.from),
          interval.to === null ? null : nanosToMicros(interval.to),
          interval.state,
          interval.rule,
          interval.reason,
          interval.claim,
          interval.claimDiffers,
          interval.setting,
          interval.limit,
        ]);
      const toCells = (rows: readonly HealthRowOfChain[]): Cell[][] => rows.flatMap(toIntervals);
      return readList(source, list, { columns: COLUMNS, select: SELECT, toCells }, page);
    },
  };
}
