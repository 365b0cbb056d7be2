import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import { evidenceCodeOf, kindCodeOf } from '../../domain/submissions/submission-codes.js';
import { nanosToMicros, type Micros, type Nanos } from '../../domain/time.js';
import type { Cell, Reconstructed } from './record-cells.js';
import type { EvidenceBatch, Missing } from './record-evidence-batch.js';
import { confirmInOrder } from './record-list-order.js';
import { findHolder } from './record-loss-holders.js';
import { findUncertainAttempts } from './record-uncertain.js';
import { findUndecided } from './record-undecided.js';
import { findUnplaced } from './record-unplaced.js';

const RECONSTRUCTED = evidenceCodeOf('RECONSTRUCTED');

/** Finds for each thing missing the failed attempt that carried it after all, or states that a success was lost. */
export async function decideCells(
  batch: EvidenceBatch,
  cells: readonly Cell[],
  position: bigint,
  at: Micros,
): Promise<void> {
  const missing = cells.flatMap((cell) => batch.missingOf(cell));
  for (const each of await leaveToAttempts(batch, missing, position)) {
    await reconstruct(batch, each, position);
  }
  for (const cell of cells) batch.evaluate(cell, position, at);
}

/** Withdraws what was reconstructed and may be a row of an event that came after it. */
export async function reconsiderCells(
  batch: EvidenceBatch,
  cells: readonly Cell[],
  position: bigint,
  at: Micros,
): Promise<void> {
  const standing = cells.flatMap((cell) => batch.standingOf(cell));
  const lost = new Set(await leaveToAttempts(batch, standing, position, position));
  const changed = standing.filter((each) => !lost.has(each)).map(({ cell }) => cell);
  for (const cell of new Set(changed)) batch.evaluate(cell, position, at);
}

/**
 * Gives each thing missing to the failed attempt that carried it after all, or leaves it undecided where an attempt may be it.
 *
 * @param since only attempts recorded from this event on are asked
 * @returns what none can be
 */
async function leaveToAttempts(
  batch: EvidenceBatch,
  missing: readonly Missing[],
  position: bigint,
  since = 0n,
): Promise<Missing[]> {
  // What was reconstructed was withdrawn when such a row came.
  const unplaced = await findUnplaced(batch, since === 0n ? missing : []);
  const asked = missing.filter((each) => !unplaced.has(each));
  for (const { cell, kind } of unplaced) cell.leave(kind, null);
  const { found, doubtful } = await findUncertainAttempts(batch, asked, since);
  const undecided = await findUndecided(batch, asked, { found, doubtful }, since);
  for (const [each, attempt] of found) await confirmInOrder(batch, each, attempt, position);
  return asked.filter((each) => {
    if (found.has(each)) return false;
    const waitsFor = doubtful.has(each) ? doubtful.get(each) : undecided.get(each);
    if (waitsFor === undefined) return true;
    if (!each.cell.open) each.cell.changedAt = each.shownAt;
    each.cell.leave(each.kind, waitsFor);
    return false;
  });
}

async function reconstruct(batch: EvidenceBatch, missing: Missing, position: bigint): Promise<void> {
  const { cell, kind, left, carried, shownAt } = missing;
  let newestNs: Nanos = 0n;
  for (const { timeNs } of left.blobs) if (timeNs > newestNs) newestNs = timeNs;
  const loss = await findHolder(batch, cell, shownAt);
  const rebuilt: Reconstructed = {
    lineageKey: cell.lineageKey,
    status: 0,
    kind: kindCodeOf(kind),
    daHeight: cell.daHeight,
    namespaceKey: namespaceOf(batch, cell.lineageKey, kind),
    blobCount: left.count,
    sizeBytes: left.bytes,
    ...carried,
    timeAt: nanosToMicros(newestNs),
    wildTime: false,
    observedAt: shownAt,
    evidence: RECONSTRUCTED,
    evidenceFromPosition: position,
    fromPosition: position,
    toPosition: null,
    lossNodeKey: loss?.nodeKey ?? null,
    lossPosition: loss?.lossPosition ?? null,
    isStored: false,
  };
  cell.rebuilt[kind] = rebuilt;
  batch.changes.rebuilt.add(rebuilt);
  if (loss) batch.losses.change(loss, 1n, position);
}

function namespaceOf(batch: EvidenceBatch, lineageKey: number, kind: BlobKind): number | null {
  const chainId = batch.parts.chainOf.get(lineageKey);
  if (chainId === undefined) return null;
  for (const { nodeKey } of batch.parts.views.ofChain(chainId)) {
    const key = batch.parts.told.get(nodeKey)?.[kind];
    if (key !== undefined && key !== null) return key;
  }
  return null;
}
