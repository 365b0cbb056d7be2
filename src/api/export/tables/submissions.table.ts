import {
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
} from '../../../domain/submissions/submission-codes.js';
import { FAILURE_CODES } from '../../../domain/submissions/failure-cause.js';
import { submissionsKnownAt } from '../../../projections/record/readers/known-rows.reader.js';
import {
  messageConditions,
  submissionConditions,
  wordConditions,
} from '../../submissions/submission-filter.js';
import { findSpans, SUBMISSION_KEY } from '../../submissions/submission-order.js';
import { fileColumns } from '../../graphql/flat-fields.js';
import { isBetweenSpans } from '../../graphql/sql-text.js';
import { SUBMISSION_FIELDS, SUBMISSION_NAMES } from '../../submissions/submission-fields.js';
import type { SqlColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import { copyList, readList, type ExportTable } from '../export-table.js';
import { columns, instant, int64, text, texts, type ParameterValues, words } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';
import { COST_COLUMNS, LOG_COLUMNS, madeFromLog, type SubmissionColumn } from './submission-log.js';
import { CHANGE_PARAMETERS, inChangeOrder, travel } from './travel.js';

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
  message: text('part of the message; case does not matter'),
  causes: words(FAILURE_CODES, 'causes of failed attempts'),
  ...CHANGE_PARAMETERS,
};

const COLUMNS = fileColumns(SUBMISSION_FIELDS);

const ALL_COLUMNS: readonly SubmissionColumn[] = [...COLUMNS, ...LOG_COLUMNS, ...COST_COLUMNS];

export const SUBMISSION_PARAMETERS = {
  ...FILTERS,
  columns: columns(
    ALL_COLUMNS.map(({ name }) => name),
    'columns of the file. Without it all but those that are looked up: raw, blob_ids and blocks (JSON as text), and what each cost (gas_min to fiat_unit)',
  ),
};

/** Exports attempts to post a batch, in the order they became known. */
export function submissionsTable(readers: ExportReaders): ExportTable {
  const { source, filterKeys } = readers;
  return {
    open: async ({ columns: names, ...values }: ParameterValues<typeof SUBMISSION_PARAMETERS>, page) => {
      const travelled = await travel(readers, values);
      const { filter, past, firstChange } = travelled;
      const found = { ...(await filterKeys.getFilterKeys(filter)), firstChange };
      const literals = new SqlLiterals();
      const spans =
        firstChange === undefined ? findSpans({ filter, past, direction: 'ASC' }, literals) : undefined;
      const conditions = [
        ...submissionConditions(filter, found, literals),
        ...messageConditions(filter, literals),
        ...wordConditions(filter, literals),
        ...(spans ? [isBetweenSpans(spans)] : []),
      ];
      const from = `FROM ${submissionsKnownAt(past.knownAt)}`;
      const keyed = { name: 'submissions', from, conditions, key: SUBMISSION_KEY };
      const list = inChangeOrder(keyed, 's', travelled);
      const chosen = names === undefined ? COLUMNS : ALL_COLUMNS.filter(({ name }) => names.includes(name));
      const isOfSql = chosen.every((column): column is SqlColumn => 'sql' in column);
      if (isOfSql) return copyList(source, list, chosen, SUBMISSION_NAMES, page);
      return readList(source, list, madeFromLog(readers, chosen, past.knownAt), page);
    },
  };
}
