import type { Query } from '../projection.js';
import { checkBlocks, includeBlocks, insertBlocks } from './record-blocks.js';
import type { EvidenceBatch, RecordMemory } from './record-evidence-batch.js';
import { writeEvidence } from './record-evidence-write.js';
import type { LossBook } from './record-losses.js';
import { markBatch, markDecided, markTwins } from './record-mark-sources.js';
import type { RecordReader } from './record-reader.js';
import { insertSubmissions } from './record-submissions.js';

/** Writes what a batch was read into and what was decided from it. */
export async function writeBatch(
  reader: RecordReader,
  evidence: EvidenceBatch,
  memory: RecordMemory,
  losses: LossBook,
  query: Query,
): Promise<void> {
  const { nodes, lineages, walks, views, runs } = memory;
  await lineages.write(query);
  // Corrections of stored rows come before the rows of this batch, which are right already.
  await writeEvidence(evidence, query);
  await insertSubmissions(reader.submissions, query);
  for (const { nodeKey, count } of await insertBlocks(reader.blockReader.blocks, query)) {
    nodes.change(nodeKey).blockCount += count;
  }
  const late = walks.takeLate();
  await includeBlocks(late, query);
  await checkBlocks(reader.blockReader.checks(), query);
  await losses.write(query);
  for (const nodeKey of new Set(reader.facts.map((fact) => fact.nodeKey))) {
    const node = nodes.change(nodeKey);
    const { state, stateAt, seenAt, lookedAt } = views.get(nodeKey);
    Object.assign(node, {
      listState: state,
      listStateAt: stateAt,
      listSeenAt: seenAt,
      listLookedAt: lookedAt,
    });
    const walk = node.lineageKey === null ? undefined : walks.find(nodeKey, node.lineageKey);
    node.inclusionFrontier = walk && walk.frontier >= walk.firstHeight ? walk.frontier : null;
  }
  await runs.write(query);
  await walks.write(query);
  await nodes.write(query);
  markBatch(reader, evidence, late);
  await markTwins(reader.submissions, memory, evidence.marks, query);
  await evidence.marks.write(memory.chainOf, query);
  await evidence.pages?.write(query);
}

/** Writes what a page decided. */
export async function writeDecided(
  evidence: EvidenceBatch,
  { chainOf }: RecordMemory,
  losses: LossBook,
  query: Query,
): Promise<void> {
  await writeEvidence(evidence, query);
  await losses.write(query);
  markDecided(evidence);
  await evidence.marks.write(chainOf, query);
}
