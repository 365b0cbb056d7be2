import { selectList } from '../../../platform/rows/row-columns.js';
import { insertRows, updateRows } from '../../../platform/rows/write-rows.js';
import { SubmissionEvidencePastEntity, SubmissionEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';
import type { GroupVersions, UnexplainedGroup } from '../decisions/cell.js';
import { DECIDED, storedPast, ROW_COLUMNS, type Row } from '../decisions/row.js';
import type { MarkBook } from './marks.js';

/** SQL: the columns of `submission s` that make a {@link Row}. */
export const SELECT_ROW = `${selectList(SubmissionEntity, 's', ROW_COLUMNS)}, true AS "isStored"`;

const ROW = {
  key: ['nodeKey', 'sequence'],
  changed: ['evidenceFromPosition', 'toldLineageKey', 'shownAt', ...DECIDED],
} as const;
const GROUP = {
  key: ['daHeight', 'lineageKey', 'kind', 'fromPosition', 'evidence'],
  changed: ['toPosition'],
} as const;

/** Writes rows with their former versions. Rows that are not stored yet are inserted, and marked, with their batch. */
export async function writeRows(rows: Iterable<Row>, marks: MarkBook, query: Query): Promise<void> {
  const changed = [...rows];
  const stored = changed.filter(({ isStored }) => isStored);
  await updateRows(query, SubmissionEntity, ROW, stored);
  await insertRows(query, SubmissionEvidencePastEntity, changed.flatMap(storedPast));
  for (const row of stored) marks.addRow(row, row.timeAt);
}

/** Writes the versions of groups that no row carried. */
export async function writeGroups(
  { ended, added }: GroupVersions,
  marks: MarkBook,
  query: Query,
): Promise<void> {
  const toStored = (group: UnexplainedGroup) => ({
    ...group,
    status: 0,
    wildTime: false,
    unreadable: false,
    countsForChain: true,
    occurredAt: group.timeAt,
    evidenceFromPosition: group.fromPosition,
    toPosition: group.toPosition ?? null,
  });
  await updateRows(query, SubmissionEntity, GROUP, Array.from(ended, toStored));
  await insertRows(query, SubmissionEntity, Array.from(added, toStored));
  for (const { chainId, timeAt } of [...added, ...ended]) marks.addOfChain(chainId, timeAt);
}
