import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import type { Micros } from '../../domain/time.js';
import type { Cell } from './record-cells.js';
import type { EvidenceBatch } from './record-evidence-batch.js';
import { canHold, type LossRecord } from './record-losses.js';

const KINDS: readonly BlobKind[] = ['HEADER', 'DATA'];

/**
 * The hole that a lost success fell into: the only one, of all nodes of its chain, that it can have been in by DA heights,
 * which no clock can turn around. None where several can have held it, so that a loss counts only what is proven of it.
 *
 * @param shownAt when blocks had shown it, observer's clock
 * @param holder the node whose loss it was part of until then, which may be of another chain by now
 */
export async function findHolder(
  batch: EvidenceBatch,
  { lineageKey, daHeight }: Cell,
  shownAt: Micros,
  holder: number | null = null,
): Promise<LossRecord | undefined> {
  const { chainOf, views } = batch.parts;
  const nodes = new Set(views.keysOfChain(chainOf.get(lineageKey) ?? ''));
  if (holder !== null) nodes.add(holder);
  let found: LossRecord | undefined;
  for (const nodeKey of nodes) {
    const { losses } = await batch.losses.ofNode(nodeKey, batch.query);
    for (const loss of losses) {
      if (!canHold(loss, daHeight)) continue;
      // It may be a row behind the hole that was not shown yet: all that comes next may be, until the list is seen again.
      const { state, seenAt } = views.get(nodeKey);
      const isUnseen = loss.daAfter === null && (seenAt ?? 0n) <= shownAt;
      const isBehind = state !== 'AVAILABLE' && (isUnseen || loss.daAfter === daHeight);
      if (found || isBehind) return undefined;
      found = loss;
    }
  }
  return found;
}

/** Finds anew which losses hold what was reconstructed at cells, after a hole has begun or ended there. */
export async function placeAnew(
  batch: EvidenceBatch,
  cells: Iterable<Cell>,
  position: bigint,
): Promise<void> {
  for (const cell of cells) {
    for (const kind of KINDS) {
      const rebuilt = cell.rebuilt[kind];
      if (!rebuilt) continue;
      const { lossNodeKey, lossPosition } = rebuilt;
      const loss = await findHolder(batch, cell, rebuilt.observedAt, lossNodeKey);
      if ((loss?.lossPosition ?? null) === lossPosition) continue;
      if (lossNodeKey !== null && lossPosition !== null) {
        await batch.losses.giveBack(lossNodeKey, lossPosition, position, batch.query);
      }
      if (loss) batch.losses.change(loss, 1n, position);
      rebuilt.lossNodeKey = loss?.nodeKey ?? null;
      rebuilt.lossPosition = loss?.lossPosition ?? null;
      batch.changes.rebuilt.add(rebuilt);
    }
  }
}
