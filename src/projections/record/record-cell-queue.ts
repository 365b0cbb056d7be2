import type { DaRange } from '../../domain/evidence/walk-range.js';
import { evidenceCodeOf } from '../../domain/submissions/submission-codes.js';
import type { Cell } from './record-cells.js';

const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');

/** Which cells wait for more blocks, which for looks at the lists, and which for a node's next success. */
export class CellQueue {
  private readonly pending = new Map<number, Set<Cell>>();
  private readonly waiting = new Map<number, Set<Cell>>();
  /** Cells that began to wait for looks since their lineage was asked last. */
  private readonly fresh = new Map<number, Set<Cell>>();
  private readonly looked = new Map<number, bigint>();
  private readonly undecided = new Map<number, Set<Cell>>();

  /** Puts a cell where it belongs now. */
  put(cell: Cell): void {
    const isPending = cell.open?.beyond === true || cell.attempts.some((a) => a.evidence === UNCONFIRMED);
    keepIn(this.pending, cell, isPending);
    const isWaiting = cell.open?.passed === true;
    keepIn(this.waiting, cell, isWaiting);
    keepIn(this.fresh, cell, isWaiting);
    keepIn(this.undecided, cell, typeof cell.open?.waitsFor === 'number');
  }

  /** Cells that were left undecided until a node's next success. */
  undecidedUntil(lineageKey: number, nodeKey: number): Cell[] {
    return [...(this.undecided.get(lineageKey) ?? [])].filter(({ open }) => open?.waitsFor === nodeKey);
  }

  /** Cells within a range that wait for blocks, or hold a success that does. */
  pendingOf(lineageKey: number, { from, below }: DaRange): Cell[] {
    const pending = this.pending.get(lineageKey) ?? [];
    return [...pending].filter(({ daHeight }) => from <= daHeight && daHeight < below);
  }

  /** Cells that have waited long enough, once all lists have been looked at through a time. */
  takeReady(lineageKey: number, lookedThrough: bigint): Cell[] {
    const isKnown = this.looked.get(lineageKey) === lookedThrough;
    const candidates = (isKnown ? this.fresh : this.waiting).get(lineageKey) ?? [];
    this.looked.set(lineageKey, lookedThrough);
    this.fresh.delete(lineageKey);
    return [...candidates].filter(({ changedAt }) => changedAt < lookedThrough);
  }
}

/** By lineage and DA height. */
export function inOrder(cells: Iterable<Cell>): Cell[] {
  return [...cells].sort((a, b) => a.lineageKey - b.lineageKey || (a.daHeight < b.daHeight ? -1 : 1));
}

function keepIn(sets: Map<number, Set<Cell>>, cell: Cell, isIn: boolean): void {
  const cells = sets.get(cell.lineageKey);
  if (!isIn) cells?.delete(cell);
  else if (cells) cells.add(cell);
  else sets.set(cell.lineageKey, new Set([cell]));
}
