import {
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
} from '../../../domain/submissions/submission-codes.js';
import type { StatementSource } from '../../../platform/sql.js';
import { submissionsKnownAt } from '../../../projections/record/readers/known-rows.reader.js';
import { FilterKeysQuery } from '../../submissions/filter-keys.query.js';
import {
  messageConditions,
  submissionConditions,
  submissionSorts,
} from '../../submissions/submission-filter.js';
import { ORDER_BY, PLACE } from '../../submissions/submission-order.js';
import { type ExportColumn, type SqlColumn, sqlColumns } from '../export-column.js';
import { copyList, readList, type ExportTable } from '../export-table.js';
import type { KeyedList } from '../page.js';
import { columns, instant, int64, text, texts, type ValuesOf, words } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';
import { COST_COLUMNS, LOG_COLUMNS, madeFromLog } from './submission-log.js';
import { CHANGE_PARAMETERS, changeColumns, inChangeOrder, travel } from './travel.js';

const FILTERS = {
  nodes: texts('ids of nodes; leaves out RECONSTRUCTED and UNDECIDED'),
  chains: texts('ids of chains'),
  from: instant('time of the submission, inclusive'),
  to: instant('time of the submission, exclusive'),
  statuses: words(SUBMISSION_STATUSES, 'statuses'),
  kinds: words(SUBMISSION_KINDS, 'kinds'),
  namespaces: texts('58 hex digits each'),
  evidence: words(SUBMISSION_EVIDENCES, 'kinds of evidence'),
  daHeightFrom: int64('inclusive'),
  daHeightTo: int64('inclusive'),
  message: text('part of the message, in any case'),
  ...CHANGE_PARAMETERS,
};

/** What a code stands for. */
function wordOf(code: string, known: readonly string[]): string {
  return `('{${known.join(',')}}'::text[])[${code} + 1]`;
}

const KIND = wordOf('s.kind', SUBMISSION_KINDS);
const escaped = (name: string): string => `replace(replace(${name}, '%', '%25'), '~', '%7E')`;

/** As `formatSubmissionId` has it. */
const ID = `CASE WHEN s.sequence IS NOT NULL THEN n.escaped_id || '~' || s.sequence
  ELSE ${escaped('s.chain_id')} || '~' || l.n || '~' || ${KIND} || '~' || s.da_height END`;

const COLUMNS = [
  ...sqlColumns({
    id: ['TEXT', ID],
    chain: ['TEXT', 's.chain_id'],
    node: ['TEXT', 'n.id'],
    sequence: ['INT64', 's.sequence'],
    ring: ['INT64', 's.ring'],
    status: ['WORD', wordOf('s.status', SUBMISSION_STATUSES)],
    status_text: ['TEXT', 's.status_text'],
    message: ['TEXT', 's.message'],
    namespace: ['WORD', 'ns.namespace'],
    kind: ['WORD', KIND],
    da_height: ['INT64', 's.da_height'],
    blob_count: ['INT64', 's.blob_count'],
    size_bytes: ['INT64', 's.size_bytes'],
    gas_price_utia: ['DECIMAL', 's.gas_price'],
    occurred_at: ['TIME', 's.occurred_at'],
    observed_at: ['TIME', 's.observed_at'],
    evidence: ['WORD', wordOf('s.evidence', SUBMISSION_EVIDENCES)],
    block_from: ['INT64', 's.block_from'],
    block_to: ['INT64', 's.block_to'],
  }),
  ...changeColumns('s', 's.to_position IS NOT NULL'),
  ...sqlColumns({
    time: ['TIME', 's.time_at'],
    possible_attempts: ['INT64', 's.possible'],
    counts_for_chain: ['BOOL', 's.counts_for_chain'],
  }),
];

const ALL_COLUMNS: readonly (SqlColumn | ExportColumn)[] = [...COLUMNS, ...LOG_COLUMNS, ...COST_COLUMNS];

/** What it takes beside `limit` and `cursor`. */
export const SUBMISSION_PARAMETERS = {
  ...FILTERS,
  columns: columns(
    ALL_COLUMNS.map(({ name }) => name),
    'columns of the file; without it all but raw, blob_ids and blocks, which are JSON as text, and what each cost (gas_min to fiat_unit): these are looked up',
  ),
};

const NAMES = `
  LEFT JOIN (SELECT *, ${escaped('id')} AS escaped_id FROM node OFFSET 0) n ON n.node_key = s.node_key
  LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
  LEFT JOIN namespace ns ON ns.namespace_key = s.namespace_key`;

const KEY: KeyedList['key'] = PLACE.map((sql, index) => ({
  sql,
  order: ORDER_BY[index] ?? sql,
  type: 'bigint',
}));

/** Rows of a short time are found by their time and sorted: the sum keeps the list's index out of it. */
const BY_TIME: KeyedList['key'][number] = { sql: PLACE[0], order: `${ORDER_BY[0]} + 0`, type: 'bigint' };

function isOfSql(column: SqlColumn | ExportColumn): column is SqlColumn {
  return 'sql' in column;
}

/** Attempts to post a batch, as they became known. */
export function submissionsTable(source: StatementSource): ExportTable {
  const keys = new FilterKeysQuery(source);
  return {
    open: async ({ columns: names, ...values }: ValuesOf<typeof SUBMISSION_PARAMETERS>, page) => {
      const travelled = await travel(source, values);
      const { filter, past, firstChange } = travelled;
      const found = { ...(await keys.getFilterKeys(filter)), firstChange };
      const conditions = [
        ...submissionConditions(filter, found, new SqlLiterals()),
        ...messageConditions(filter, new SqlLiterals()),
        `(${submissionSorts(filter, past).join(' OR ')})`,
      ];
      const from = `FROM ${submissionsKnownAt(past.knownAt)}`;
      const key = found.isShortTime ? [BY_TIME, ...KEY.slice(1)] : KEY;
      const list = inChangeOrder({ name: 'submissions', from, conditions, key }, 's', travelled);
      const chosen = names === undefined ? COLUMNS : ALL_COLUMNS.filter(({ name }) => names.includes(name));
      if (chosen.every(isOfSql)) return copyList(source, list, chosen, NAMES, page);
      return readList(source, list, madeFromLog(source, chosen, NAMES, past.knownAt), page);
    },
  };
}
