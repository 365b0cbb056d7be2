import { EMPTY_DATA_HASH } from '../../../domain/blocks/block-encoding.js';
import type { StatementSource } from '../../../platform/sql.js';
import { blocksKnownAt } from '../../../projections/record/readers/known-rows.reader.js';
import { filterBlocks, keyConditions } from '../../blocks/block-filter.js';
import { type SqlColumn, sqlColumns } from '../export-column.js';
import { copyList, type ExportTable } from '../export-table.js';
import type { KeyedList } from '../page.js';
import { bool, instant, int64, texts, type ValuesOf } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';
import { CHANGE_PARAMETERS, changeColumns, inChangeOrder, travel } from './travel.js';

/** What it takes beside `limit` and `cursor`. */
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

const hex = (sql: string): string => `encode(${sql}, 'hex')`;

/** Two bits a check, from the lowest. */
const CHECKS = ['link', 'hash', 'signature', 'proposer', 'data'].map((check, index): SqlColumn => {
  const bits = `(b.checks >> ${2 * index}) & 3`;
  const sql = `CASE WHEN b.checks IS NOT NULL THEN coalesce(('{NOT_CHECKED,PASSED,FAILED}'::text[])[(${bits}) + 1], 'NOT_CHECKED') END`;
  return { name: `checks_${check}`, kind: 'WORD', sql };
});

const COLUMNS: readonly SqlColumn[] = [
  ...sqlColumns({
    node: ['TEXT', 'n.id'],
    chain_id: ['TEXT', 'l.chain_id'],
    lineage: ['TEXT', "l.chain_id || '/' || l.n"],
    height: ['INT64', 'b.height'],
    time: ['TIME', "'epoch'::timestamptz + b.time_ns / 1000 * interval '1 microsecond'"],
    time_ns: ['INT64', 'b.time_ns'],
    hash: ['WORD', hex('b.hash')],
    // A header whose parent hash the node left out (the first) has empty bytes.
    last_header_hash: ['WORD', `nullif(${hex('coalesce(b.last_header_hash, parent.hash)')}, '')`],
    data_hash: ['WORD', `coalesce(${hex('b.data_hash')}, '${EMPTY_DATA_HASH}')`],
    app_hash: ['WORD', hex('b.app_hash')],
    proposer_address: ['WORD', hex('p.proposer_address')],
    tx_count: ['INT64', 'b.tx_count'],
    data_bytes: ['INT64', 'b.tx_bytes'],
    header_blob_bytes: ['INT64', 'b.header_blob_bytes'],
    data_blob_bytes: ['INT64', 'b.data_blob_bytes'],
    header_da_height: ['INT64', 'b.header_da_height'],
    data_da_height: ['INT64', 'b.data_da_height'],
  }),
  ...CHECKS,
  ...changeColumns('b', 'false'),
];

const NAMES = `
  JOIN node n ON n.node_key = b.node_key
  JOIN lineage l ON l.lineage_key = b.lineage_key
  JOIN proposer p ON p.proposer_key = b.proposer_key
  LEFT JOIN block parent ON b.last_header_hash IS NULL AND parent.node_key = b.node_key
                        AND parent.lineage_key = b.lineage_key AND parent.height = b.height - 1`;

const KEY: KeyedList['key'] = ['b.node_key', 'b.lineage_key', 'b.height'].map((sql) => ({
  sql,
  type: 'bigint',
}));

/** Block headers as nodes showed them. */
export function blocksTable(source: StatementSource): ExportTable {
  return {
    open: async (values: ValuesOf<typeof BLOCK_PARAMETERS>, page) => {
      const travelled = await travel(source, values);
      const { filter, past, firstChange } = travelled;
      const literals = new SqlLiterals();
      const conditions = [
        ...keyConditions(filter, literals),
        ...filterBlocks(filter, literals),
        ...literals.compare('b.change', '>=', firstChange),
      ];
      const from = `FROM ${blocksKnownAt(past.knownAt)}`;
      const list = inChangeOrder({ name: 'blocks', from, conditions, key: KEY }, 'b', travelled);
      return copyList(source, list, COLUMNS, NAMES, page);
    },
  };
}
