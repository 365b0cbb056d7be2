import { selectList } from '../../../platform/rows/row-columns.js';
import { insertRows, updateRows } from '../../../platform/rows/write-rows.js';
import { SubmissionEvidencePastEntity } from '../../../tables/record/submission-evidence-past.entity.js';
import { SubmissionEntity } from '../../../tables/record/submission.entity.js';
import type { Query } from '../../projection.js';
import { DECIDED, keptPast, ROW_COLUMNS, type Row } from '../decisions/row.js';
import type { MarkBook } from './marks.js';

/** SQL: the columns of `submission s` that make a {@link Row}. */
export const SELECT_ROW = `${selectList(SubmissionEntity, 's', ROW_COLUMNS)}, true AS "isStored"`;

const CHANGED = {
  key: ['nodeKey', 'sequence'],
  changed: ['evidenceFromPosition', 'toldLineageKey', 'shownAt', ...DECIDED],
} as const;

/** Writes rows with their former versions. Those that are not stored yet are inserted, and marked, with their batch. */
export async function writeRows(rows: Iterable<Row>, marks: MarkBook, query: Query): Promise<void> {
  const changed = [...rows];
  const stored = changed.filter(({ isStored }) => isStored);
  await updateRows(query, SubmissionEntity, CHANGED, stored);
  await insertRows(query, SubmissionEvidencePastEntity, changed.flatMap(keptPast));
  for (const row of stored) marks.addRow(row, row.timeAt);
}
