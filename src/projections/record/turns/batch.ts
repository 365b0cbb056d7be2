import type { Query } from '../../projection.js';
import { quarterOfBlock } from '../../quarters.js';
import { StepBook } from '../decisions/steps.js';
import { checkBlocks, includeBlocks, insertBlocks } from '../facts/blocks.js';
import { toChainId } from '../facts/chains.js';
import type { DecodedEvent, RecordEvent } from '../facts/decode.js';
import { RecordReader } from '../facts/reader.js';
import { insertSubmissions } from '../facts/submissions.js';
import type { RecordMemory } from '../memory.js';
import { countAttempts } from './attempts.js';
import type { MarkBook } from './marks.js';
import { applyToRows } from './node-rows.js';
import { Work } from './work.js';

/**
 * Reads events, decides what is not left to deferred tasks, and writes both.
 * @param pageSize the most earlier rows in memory
 * @param mostAtOnce if more DA heights of a chain than this are touched, all of them are left to deferred tasks
 * @returns how many events are done. An event that may change earlier rows waits until these are written and no deferred
 * task is left; later events wait with it. 0: the first event waits
 */
export async function decideBatch(
  events: readonly DecodedEvent[],
  memory: RecordMemory,
  marks: MarkBook,
  { pageSize, mostAtOnce }: { readonly pageSize: number; readonly mostAtOnce: number },
  query: Query,
): Promise<number> {
  const reader = new RecordReader(memory);
  const work = new Work(memory, marks, query);
  const book = new StepBook(memory, work.held);
  let count = 0;
  for (const decoded of events) {
    if (mayTell(decoded.event, memory)) {
      // The deferred tasks belong to earlier events and need the rows as they were then.
      if (count > 0 || !memory.deferred.isEmpty) break;
    }
    count += 1;
    const facts = reader.read(decoded);
    if (!facts) continue;
    if (facts.told) await applyToRows(facts, facts.told, { memory, book, marks }, pageSize, query);
    book.take(facts, await memory.walks.apply(facts, query));
  }
  if (count === 0) return 0;
  await countAttempts(reader.submissions, undefined, memory, query);
  await memory.brackets.write(query);
  await memory.lists.write(query);
  // Corrections of stored rows come before the rows of this batch, which are correct already.
  await work.decide(book.steps, mostAtOnce);
  await writeBatch(reader, book, memory, marks, query);
  return count;
}

/** Whether an event may change earlier rows of its node: their kind, their lineage, their chain. */
function mayTell(event: RecordEvent, memory: RecordMemory): boolean {
  const node = memory.nodes.find(event.stream);
  if (!node) return false;
  if (node.submissionCount === 0n && memory.brackets.openHoleOf(node.nodeKey) === undefined) return false;
  switch (event.type) {
    case 'NodeRegistered':
    case 'NodeSettingsChanged':
    case 'NodeRetired':
    case 'NodeDescribed':
      return true;
    case 'BlocksObserved': {
      const { lineage, chain } = event.body;
      const shown = memory.lineages.find(toChainId(chain), lineage);
      const isFirst = shown === undefined || shown !== node.lineageKey;
      return isFirst || (!node.namesLists && memory.lists.unnamedOf(node.nodeKey) !== undefined);
    }
    default:
      return false;
  }
}

/** Writes a batch in the transaction that moves the checkpoint, and marks the quarter hours that it alters. */
async function writeBatch(
  { submissions, blockReader }: RecordReader,
  { pointedTo }: StepBook,
  memory: RecordMemory,
  marks: MarkBook,
  query: Query,
): Promise<void> {
  const { chainOf, nodes, walks } = memory;
  await insertSubmissions(submissions, query);
  for (const { nodeKey, count } of await insertBlocks(blockReader.blocks, query)) {
    nodes.change(nodeKey).blockCount += count;
  }
  const late = walks.takeLate();
  await includeBlocks(late, query);
  await checkBlocks(blockReader.checks(), query);
  for (const each of ['deferred', 'frontiers', 'names', 'lineages', 'runs', 'walks', 'nodes'] as const) {
    await memory[each].write(query);
  }
  for (const row of submissions) marks.addRow(row, row.timeAt);
  // Inclusion lag and frontier count in the bucket of the submission, not of the block.
  for (const { successes, landed, groups } of pointedTo) {
    for (const row of [...successes, ...landed]) if (row.isStored) marks.addRow(row, row.timeAt);
    for (const { chainId, timeAt } of groups.values()) marks.addOfChain(chainId, timeAt);
  }
  for (const { nodeKey, lineageKey, timeNs } of [...blockReader.blocks, ...late]) {
    marks.addRow({ nodeKey, chainId: chainOf.get(lineageKey) ?? null }, quarterOfBlock(timeNs));
  }
}
