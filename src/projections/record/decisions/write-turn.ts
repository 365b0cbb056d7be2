import { insertRows, updateRows } from '../../../platform/rows/write-rows.js';
import { SubmissionEvidencePastEntity } from '../../../tables/record/submission-evidence-past.entity.js';
import { SubmissionEntity } from '../../../tables/record/submission.entity.js';
import type { Query } from '../../projection.js';
import { keptPast, DECIDED, type Row } from './row.js';
import { checkBlocks, includeBlocks, insertBlocks } from '../facts/blocks.js';
import type { LossBook } from './losses.js';
import type { MarkBook } from './marks.js';
import type { RecordReader } from '../facts/reader.js';
import { insertSubmissions } from '../facts/submissions.js';
import type { Decided } from './cell-changes.js';
import type { RecordMemory } from '../memory.js';
import type { StepBook } from './steps.js';

const CHANGED = {
  key: ['nodeKey', 'sequence'],
  changed: ['evidenceFromPosition', 'toldLineageKey', 'shownAt', ...DECIDED],
} as const;

/** The rows, blocks and steps that a batch was read into. */
export interface Batch {
  readonly reader: RecordReader;
  readonly book: StepBook;
}

/** The decisions of a batch or a turn, with the books that they change. */
export interface Turn {
  readonly memory: RecordMemory;
  readonly losses: LossBook;
  readonly decided: Decided;
}

/** Writes rows with their former versions. Those that are not stored yet are inserted, and marked, with their batch. */
export async function writeRows(rows: Iterable<Row>, marks: MarkBook, query: Query): Promise<void> {
  const changed = [...rows];
  const stored = changed.filter(({ isStored }) => isStored);
  await updateRows(query, SubmissionEntity, CHANGED, stored);
  await insertRows(query, SubmissionEvidencePastEntity, changed.flatMap(keptPast));
  for (const row of stored) marks.addRow(row, row.timeAt);
}

/** Writes what was decided of stored rows, and of blobs that no row carried. */
export async function writeDecided(
  { memory, losses, decided }: Turn,
  marks: MarkBook,
  query: Query,
): Promise<void> {
  await writeRows(decided.rows, marks, query);
  await decided.groups.write(query);
  await losses.write(query);
  await memory.turns.write(query);
  for (const { chainId, timeAt } of [...decided.groups.added, ...decided.groups.ended]) {
    marks.addOfChain(chainId, timeAt);
  }
}

/** Writes a batch with what was decided of it, all in one transaction with what moves the checkpoint. */
export async function writeBatch(
  { reader, book }: Batch,
  turn: Turn,
  marks: MarkBook,
  query: Query,
): Promise<void> {
  const { memory } = turn;
  const { nodes, names, lineages, walks, runs, frontiers } = memory;
  // Corrections of stored rows come before the rows of this batch, which are right already.
  await writeDecided(turn, marks, query);
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
  markBatch({ reader, book }, turn, late, marks);
}

/** Marks the quarter hours whose figures rows and blocks of a batch alter. */
function markBatch(
  { reader, book }: Batch,
  { memory }: Turn,
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
