import { insertRows, updateRows } from '../../../platform/rows/write-rows.js';
import { SubmissionEntity } from '../../../tables/record/submission.entity.js';
import type { Query } from '../../projection.js';
import type { CellChanges } from '../decisions/cell-changes.js';
import type { GroupVersions } from '../decisions/cell.js';
import type { StepBook } from '../decisions/steps.js';
import { checkBlocks, includeBlocks, insertBlocks } from '../facts/blocks.js';
import type { LossBook } from '../facts/losses.js';
import type { RecordReader } from '../facts/reader.js';
import { insertSubmissions } from '../facts/submissions.js';
import type { RecordMemory } from '../memory.js';
import type { MarkBook } from './marks.js';
import { writeRows } from './stored-rows.js';

const GROUP = {
  key: ['daHeight', 'lineageKey', 'kind', 'fromPosition', 'evidence'],
  changed: ['toPosition'],
} as const;

/** The rows, blocks and steps that a batch was read into. */
export interface Batch {
  readonly reader: RecordReader;
  readonly book: StepBook;
}

/** The decisions of a batch or a turn, with the books that they change. */
export interface Outcome {
  readonly memory: RecordMemory;
  readonly losses: LossBook;
  readonly changes: CellChanges;
}

/** Writes what was decided of stored rows, and of blobs that no row carried. */
export async function writeOutcome(
  { memory, losses, changes: { rows, groups } }: Outcome,
  marks: MarkBook,
  query: Query,
): Promise<void> {
  await writeRows(rows, marks, query);
  await writeGroups(groups, query);
  await losses.write(query);
  await memory.turns.write(query);
  for (const { chainId, timeAt } of [...groups.added, ...groups.ended]) marks.addOfChain(chainId, timeAt);
}

async function writeGroups({ ended, added }: GroupVersions, query: Query): Promise<void> {
  const withEnd = [...ended].map((group) => ({ ...group, toPosition: group.toPosition ?? null }));
  await updateRows(query, SubmissionEntity, GROUP, withEnd);
  const rows = [...added].map((group) => ({
    ...group,
    status: 0,
    wildTime: false,
    unreadable: false,
    countsForChain: true,
    occurredAt: group.timeAt,
    evidenceFromPosition: group.fromPosition,
    toPosition: group.toPosition ?? null,
  }));
  await insertRows(query, SubmissionEntity, rows);
}

/** Writes a batch with what was decided of it, all in one transaction with what moves the checkpoint. */
export async function writeBatch(
  { reader, book }: Batch,
  outcome: Outcome,
  marks: MarkBook,
  query: Query,
): Promise<void> {
  const { memory } = outcome;
  const { nodes, names, lineages, walks, runs, frontiers } = memory;
  // Corrections of stored rows come before the rows of this batch, which are right already.
  await writeOutcome(outcome, marks, query);
  await insertSubmissions(reader.submissions, query);
  for (const { nodeKey, count } of await insertBlocks(reader.blockReader.blocks, query)) {
    nodes.change(nodeKey).blockCount += count;
  }
  const late = walks.takeLate();
  await includeBlocks(late, query);
  await checkBlocks(reader.blockReader.checks(), query);
  await frontiers.write(query);
  await names.write(query);
  await lineages.write(query);
  await runs.write(query);
  await walks.write(query);
  await nodes.write(query);
  markBatch({ reader, book }, memory, late, marks);
}

/** Marks the quarter hours whose figures rows and blocks of a batch alter. */
function markBatch(
  { reader, book }: Batch,
  memory: RecordMemory,
  late: readonly { nodeKey: number; lineageKey: number; timeNs: bigint }[],
  marks: MarkBook,
): void {
  for (const row of reader.submissions) marks.addRow(row, row.timeAt);
  // Inclusion lag and frontier stand in the bucket of the submission, not of the block.
  for (const cell of book.pointedTo) {
    for (const row of [...cell.successes, ...cell.landed]) if (row.isStored) marks.addRow(row, row.timeAt);
    for (const { chainId, timeAt } of cell.groups.values()) marks.addOfChain(chainId, timeAt);
  }
  for (const blocks of [reader.blockReader.blocks, late]) {
    for (const { nodeKey, lineageKey, timeNs } of blocks) {
      marks.addBlock({ nodeKey, chainId: memory.chainOf.get(lineageKey) ?? null }, timeNs);
    }
  }
}
