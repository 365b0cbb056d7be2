import type { Fit } from '../../domain/evidence/blob-segments.js';
import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import { decide, type Attempt } from './record-attempt.js';
import { CellFit } from './record-cell-fit.js';
import { inOrder } from './record-cell-queue.js';
import type { Cell } from './record-cells.js';
import type { EvidenceBatch } from './record-evidence-batch.js';
import { moveStored } from './record-moves.js';

const KINDS: readonly BlobKind[] = ['HEADER', 'DATA'];

/** A success that another history of its chain shows. */
interface Step {
  readonly from: Cell;
  readonly to: Cell;
  readonly attempt: Attempt;
}

/**
 * Gives successes to the history of their chain that shows them. Which one was meant a row does not tell: it is recorded with
 * that which its node showed last, and may have been posted before the chain started again. So a success that the
 * blocks of its history do not show exactly goes to another one with blobs of that DA height that nothing else explains.
 * Where its own history shows nothing of it, and will not any more, it goes to one that shows it in part, or as another node's row.
 *
 * @param touched cells that changed, each loaded with those of the chain's other histories; cells that change by this are added
 */
export async function settleHistories(
  batch: EvidenceBatch,
  touched: Set<Cell>,
  position: bigint,
): Promise<void> {
  const { chainOf, lineagesOf } = batch.parts;
  const settled = new Set<Cell>();
  for (const { lineageKey, daHeight } of inOrder(touched)) {
    const lineages = lineagesOf.get(chainOf.get(lineageKey) ?? '') ?? [];
    if (lineages.length < 2) continue;
    const cells = lineages.flatMap((key) => batch.cells.find(key, daHeight) ?? []);
    if (cells.some((cell) => settled.has(cell))) continue;
    for (const cell of cells) {
      settled.add(cell);
      touched.add(cell);
    }
    for (let step = findStep(batch, cells); step; step = findStep(batch, cells)) {
      const { from, to, attempt } = step;
      from.removeAttempt(attempt);
      to.addAttempt(attempt);
      decide(attempt, position, { lineageKey: to.lineageKey });
      batch.changes.attempts.add(attempt);
      touched.add(from).add(to);
      // At once, so that whatever this batch asks of the table finds it where it is.
      if (attempt.isStored) await moveStored(batch, attempt.nodeKey, to.lineageKey, [attempt.sequence]);
    }
  }
}

/** The next success that goes; each one fits better than before and takes nothing from others, so that there is an end. */
function findStep(batch: EvidenceBatch, cells: readonly Cell[]): Step | undefined {
  const newestFirst = cells.toReversed();
  for (const from of cells) {
    const fit = new CellFit(from);
    for (const [index, attempt] of from.attempts.entries()) {
      const fitThere = fit.fitOf(index);
      if (attempt.status !== 0 || fitThere === 'EXACT') continue;
      const to = newestFirst.find((cell) => cell !== from && takes(batch, cell, { from, attempt }, fitThere));
      if (to) return { from, to, attempt };
    }
  }
  return undefined;
}

/** Whether a cell shows the attempt better than its own does, and no other success there is worse off with it. */
function takes(batch: EvidenceBatch, to: Cell, { from, attempt }: Omit<Step, 'to'>, fitThere: Fit): boolean {
  if (!KINDS.some((kind) => to.has(kind))) return false;
  const before = new CellFit(to);
  const others = to.attempts.flatMap((other, index) => (other.status === 0 ? [before.fitOf(index)] : []));
  to.addAttempt(attempt);
  const after = new CellFit(to);
  const itsFit = after.fitOf(to.attempts.indexOf(attempt));
  const othersThen = to.attempts.flatMap((other, index) =>
    other.status === 0 && other !== attempt ? [after.fitOf(index)] : [],
  );
  to.removeAttempt(attempt);
  if (othersThen.some((fit, index) => fit !== others[index])) return false;
  const isLeft = countLeft(after) < countLeft(before);
  if (isLeft && itsFit === 'EXACT') return true;
  if (itsFit === 'NONE' || fitThere !== 'NONE') return false;
  return (isLeft && itsFit === 'VAGUE') || batch.isPassed(from, attempt);
}

/** Blobs that no attempt explains. */
function countLeft(fit: CellFit): number {
  return KINDS.reduce((sum, kind) => sum + (fit.unexplained(kind)?.left.count ?? 0), 0);
}
