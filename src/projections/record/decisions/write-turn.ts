import { insertRows, updateRows } from '../../../platform/rows/write-rows.js';
import { SubmissionEvidencePastEntity } from '../../../tables/record/submission-evidence-past.entity.js';
import { SubmissionEntity } from '../../../tables/record/submission.entity.js';
import type { Query } from '../../projection.js';
import { DECIDED, keptPast } from '../record-attempt.js';
import { checkBlocks, includeBlocks, insertBlocks } from '../record-blocks.js';
import type { LossBook } from '../record-losses.js';
import { markRenamed, markTwins } from '../record-mark-sources.js';
import { MarkBook } from '../record-marks.js';
import type { RecordReader } from '../record-reader.js';
import { insertSubmissions } from '../record-submissions.js';
import type { Decided } from './decide-steps.js';
import type { RecordMemory } from './record-projection.js';
import type { StepBook } from './steps.js';

const CHANGED = {
  key: ['nodeKey', 'sequence'],
  changed: ['evidenceFromPosition', 'toldLineageKey', 'shownAt', ...DECIDED],
} as const;

/** What a turn was read into, and what was decided. */
export interface Turn {
  readonly reader: RecordReader;
  readonly memory: RecordMemory;
  readonly losses: LossBook;
  readonly book: StepBook;
  readonly decided: Decided;
}

/** Writes a turn, all in one transaction with what moves the checkpoint. */
export async function writeTurn(turn: Turn, query: Query): Promise<void> {
  const { reader, memory, losses, decided } = turn;
  const { nodes, walks, runs, brackets, frontiers } = memory;
  const changed = [...decided.rows];
  const stored = changed.filter(({ isStored }) => isStored);
  await updateRows(query, SubmissionEntity, CHANGED, stored);
  const pasts = changed.flatMap((row) => keptPast(row as Parameters<typeof keptPast>[0]));
  await insertRows(query, SubmissionEvidencePastEntity, pasts);
  await decided.groups.write(query);
  await insertSubmissions(reader.submissions, query);
  for (const { nodeKey, count } of await insertBlocks(reader.blockReader.blocks, query)) {
    nodes.change(nodeKey).blockCount += count;
  }
  const late = walks.takeLate();
  await includeBlocks(late, query);
  await checkBlocks(reader.blockReader.checks(), query);
  await losses.write(query);
  await brackets.write(query);
  await frontiers.write(query);
  noteViews(turn);
  await runs.write(query);
  await walks.write(query);
  await nodes.write(query);
  await mark(turn, late, query);
}

function noteViews({ reader, memory: { nodes, views, walks } }: Turn): void {
  for (const nodeKey of new Set(reader.facts.map((fact) => fact.nodeKey))) {
    const node = nodes.change(nodeKey);
    const { state, stateAt, seenAt, lookedAt } = views.get(nodeKey);
    Object.assign(node, { listState: state, listStateAt: stateAt, listSeenAt: seenAt, listLookedAt: lookedAt });
    const walk = node.lineageKey === null ? undefined : walks.find(nodeKey, node.lineageKey);
    node.inclusionFrontier = walk && walk.frontier >= walk.firstHeight ? walk.frontier : null;
  }
}

/** Marks the quarter hours whose figures the turn alters. */
async function mark(
  { reader, memory, book, decided }: Turn,
  late: readonly { nodeKey: number; lineageKey: number; timeNs: bigint }[],
  query: Query,
): Promise<void> {
  const marks = new MarkBook();
  for (const row of reader.submissions) marks.addRow(row, row.timeAt);
  for (const row of decided.rows) marks.addRow(row, row.timeAt);
  for (const { row, lineageKey } of decided.moved) marks.addRow({ ...row, lineageKey }, row.timeAt);
  for (const { lineageKey, timeAt } of [...decided.groups.added, ...decided.groups.ended]) {
    marks.addOfLineage(lineageKey, timeAt);
  }
  // Inclusion lag and frontier stand in the bucket of the submission, not of the block.
  for (const cell of book.pointedTo) {
    for (const row of [...cell.successes, ...cell.landed]) marks.addRow(row, row.timeAt);
    for (const { lineageKey, timeAt } of cell.groups.values()) marks.addOfLineage(lineageKey, timeAt);
  }
  for (const blocks of [reader.blockReader.blocks, late]) {
    for (const { nodeKey, lineageKey, timeNs } of blocks) marks.addBlock(nodeKey, lineageKey, timeNs);
  }
  for (const fact of reader.facts) {
    if (fact.type === 'chain' && fact.renamed) await markRenamed(fact.nodeKey, fact.renamed, marks, query);
  }
  await markTwins(reader.submissions, { ...memory, decidedThrough: new Map(), openLosses: new Map() }, marks, query);
  await marks.write(memory.chainOf, query);
}
