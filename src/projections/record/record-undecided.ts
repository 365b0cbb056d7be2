import type { EvidenceBatch, Missing } from './record-evidence-batch.js';
import { findPossibleFailures } from './record-failures.js';
import { isHeightless } from './record-late.js';
import { findInBatch, getStretches, type Question, type Stretch } from './record-stretches.js';
import { nameOf, type Carriers } from './record-uncertain.js';

/**
 * Those of the missing that a recorded success may be which does not tell its DA height, or a failure of unknown outcome: one
 * of their kind, or of none that is known, between successes of a node's list that do not exclude it. Whether it is them is
 * not decided, so nothing may be reconstructed beside it. Where the list ends with it, the next success may exclude it.
 *
 * A node posts headers one batch after the other, and data likewise, but both at once: successes of one kind enter its
 * list by DA height, and say nothing of the order of the other kind.
 *
 * @param since only rows recorded from this event on
 * @returns each with the node whose next success may exclude the row; null for none
 */
export async function findUndecided(
  batch: EvidenceBatch,
  missing: readonly Missing[],
  { found, doubtful }: Carriers,
  since: bigint,
): Promise<Map<Missing, number | null>> {
  const questions = missing.flatMap((each) =>
    found.has(each) || doubtful.has(each)
      ? []
      : nodesOf(batch, each).map((nodeKey): Question => ({ nodeKey, missing: each })),
  );
  const undecided = new Map<Missing, number | null>();
  const leave = ({ missing, nodeKey, lastDa, nextDa }: Omit<Stretch, 'lastSequence' | 'nextSequence'>) => {
    const known = undecided.get(missing) ?? null;
    const isEnd = lastDa !== null && nextDa === null && (known === null || nodeKey < known);
    undecided.set(missing, isEnd ? nodeKey : known);
  };
  const failed: Stretch[] = [];
  for (const stretch of await getStretches(batch, questions, since)) {
    const question = questions[stretch.n];
    if (!question) continue;
    if (stretch.isStored || findInBatch(batch, question, stretch, since).length > 0)
      leave({ ...stretch, ...question });
    else if (stretch.isFailed || hasFailed(batch, question.nodeKey)) failed.push({ ...stretch, ...question });
  }
  // An attempt that carried one of the missing carried none of those that are decided after it.
  const order = new Map(missing.map((each, index) => [each, index]));
  const takenBy = new Map([...found].map(([each, attempt]) => [nameOf(attempt), order.get(each) ?? 0]));
  const isTaken = (name: string, each: Missing) => (takenBy.get(name) ?? Infinity) < (order.get(each) ?? 0);
  const asked = failed.filter((stretch) => !undecided.has(stretch.missing));
  const possible = await findPossibleFailures(batch, asked, isTaken, since);
  for (const stretch of asked) if (possible.has(stretch.missing)) leave(stretch);
  return undecided;
}

/** Nodes of the chain, and those that showed its blocks before they were pointed at another one. */
function nodesOf({ parts }: EvidenceBatch, { cell: { lineageKey } }: Missing): number[] {
  const chainId = parts.chainOf.get(lineageKey);
  const ofChain = chainId === undefined ? [] : parts.views.keysOfChain(chainId);
  const ofLineage = parts.walks.ofLineage(lineageKey).map(({ nodeKey }) => nodeKey);
  return [...new Set([...ofChain, ...ofLineage])];
}

/** Whether an attempt failed in this batch with an outcome that is not known. */
function hasFailed({ recordedByNode }: EvidenceBatch, nodeKey: number): boolean {
  return (recordedByNode.get(nodeKey) ?? []).some((row) => row.status !== 0 && isHeightless(row));
}
