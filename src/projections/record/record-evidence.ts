import { evidenceOfSuccess, standOfKind } from '../../domain/evidence/evidence.js';
import { standOf, type BlobKind, type Stand } from '../../domain/evidence/inclusion-walk.js';
import type { DaRange } from '../../domain/evidence/walk-range.js';
import { NOTHING_CARRIED } from '../../domain/submissions/carried-blobs.js';
import { evidenceCodeOf, SUBMISSION_KINDS } from '../../domain/submissions/submission-codes.js';
import type { Micros } from '../../domain/time.js';
import type { Query } from '../projection.js';
import { decide, type Attempt } from './record-attempt.js';
import { CellFit, isProvenBy } from './record-cell-fit.js';
import { CellQueue, inOrder } from './record-cell-queue.js';
import type { CellTable } from './record-cell-table.js';
import type { Cell, OpenState, Reconstructed } from './record-cells.js';
import { decideCells, reconsiderCells } from './record-decisions.js';
import type { EvidenceBatch, EvidenceChanges, EvidenceParts, Missing } from './record-evidence-batch.js';
import type { RecordFact } from './record-facts.js';
import { settleHistories } from './record-histories.js';
import { isHeightless } from './record-late.js';
import { placeAnew } from './record-loss-holders.js';
import type { LossBook } from './record-losses.js';
import { markRenamed } from './record-mark-sources.js';
import { MarkBook } from './record-marks.js';
import { applyDescription, applyJoining } from './record-moves.js';
import type { PageMarks } from './record-page-marks.js';
import type { SubmissionRecord } from './record-submissions.js';
import { Renames } from './record-renames.js';
import { takeOver } from './record-twins.js';
import { doubt, getRenamed, isUnplaced } from './record-unplaced.js';

const OBSERVED = evidenceCodeOf('OBSERVED');
const KINDS: readonly BlobKind[] = ['HEADER', 'DATA'];

/**
 * Decides, event by event, what the blocks say of each submission, and which submissions only blocks prove.
 * One instance lives for a batch; what it decides depends on the log alone, not on where the batch was cut.
 */
export class BatchEvidence implements EvidenceBatch {
  readonly changes: EvidenceChanges = { attempts: new Set(), rebuilt: new Set() };
  readonly recordedByNode = new Map<number, SubmissionRecord[]>();
  readonly marks = new MarkBook();
  readonly pointedTo = new Set<Cell>();
  private readonly queue = new CellQueue();
  private readonly grown = new Set<Cell>();
  private readonly withdrawn: Reconstructed[] = [];
  /** Stored failed attempts that were looked at, or let go, in this batch. */
  readonly named = new Map<string, Attempt>();
  /** Those of them that were let go and that the table does not know of yet. */
  private readonly released: Attempt[] = [];
  /** Where a hole began or ended in the event that is being applied. */
  private moved: { readonly lineages: ReadonlySet<number>; readonly from: bigint } | undefined;

  readonly cells: CellTable;
  readonly orphans: Map<number, Attempt[]>;

  constructor(
    readonly parts: EvidenceParts,
    readonly losses: LossBook,
    { cells, orphans }: Pick<EvidenceBatch, 'cells' | 'orphans'>,
    readonly query: Query,
    readonly pages?: PageMarks,
    readonly renames = new Renames(),
  ) {
    this.cells = cells;
    this.orphans = orphans;
    for (const cell of cells.all()) this.queue.put(cell);
  }

  /** Applies what one event means: all of it is taken before anything is decided. */
  async apply(facts: readonly RecordFact[]): Promise<void> {
    const touched = new Set<Cell>();
    for (const fact of facts) {
      await this.take(fact, touched);
      this.parts.views.apply(fact);
    }
    const last = facts.at(-1);
    if (!last) return;
    await this.evaluateAll(touched, last.position, last.at);
    await this.settleMoved(last.position);
    if (facts.some((fact) => fact.type === 'rows' && fact.rows.some(isHeightless)))
      await this.reconsider(last);
    for (const chainId of this.parts.views.chainsOf(last, this.parts.chainOf))
      await this.decide(last, chainId);
  }

  /** Compares attempts and blobs of cells that changed. */
  async evaluateAll(cells: Iterable<Cell>, position: bigint, at: Micros): Promise<void> {
    const touched = new Set(cells);
    await settleHistories(this, touched, position);
    for (const cell of inOrder(touched)) {
      cell.askAgain();
      this.evaluate(cell, position, at);
    }
    await this.settleWithdrawn(position);
  }

  /** Decides cells that have waited long enough. */
  async decideAll(cells: Iterable<Cell>, position: bigint, at: Micros): Promise<void> {
    await decideCells(this, inOrder(cells), position, at);
    await this.settleWithdrawn(position);
  }

  /** Withdraws from cells what a row may be that an event recorded without telling where it landed. */
  async reconsiderAll(cells: Iterable<Cell>, position: bigint, at: Micros): Promise<void> {
    await reconsiderCells(this, inOrder(cells), position, at);
    await this.settleWithdrawn(position);
  }

  /** Notes up to when all is decided: to be called once no fact is left. */
  noteDecided(): void {
    const { decidedThrough } = this.parts;
    for (const { lineageKey, open, changedAt } of this.cells.all()) {
      const through = decidedThrough.get(lineageKey);
      // What became ready by an event that is of no node of its chain waits for the next one.
      if (open?.passed && through !== undefined && changedAt < through) decidedThrough.delete(lineageKey);
    }
  }

  private async take(fact: RecordFact, touched: Set<Cell>): Promise<void> {
    switch (fact.type) {
      case 'rows':
        return this.addRows(fact, touched);
      case 'blocks':
        return this.addBlocks(fact, touched);
      case 'gap':
        return this.addGap(fact, touched);
      case 'described':
        return applyDescription(this, fact, touched);
      case 'joined':
        return applyJoining(this, fact, touched);
      case 'loss':
        return this.addLoss(fact);
      case 'chain':
        return this.changeChain(fact, touched);
      case 'quiet':
      case 'list':
      case 'clock':
        return;
      default:
        fact satisfies never;
    }
  }

  identify(attempt: Attempt): Attempt {
    const name = `${attempt.nodeKey}/${attempt.sequence}`;
    const known = this.named.get(name);
    if (!known) this.named.set(name, attempt);
    return known ?? attempt;
  }

  async writeReleased(): Promise<void> {
    const sequences = new Map<number, bigint[]>();
    for (const { nodeKey, sequence } of this.released.splice(0)) listOf(sequences, nodeKey).push(sequence);
    for (const [nodeKey, all] of sequences) {
      await this.query(
        `UPDATE submission SET evidence = ${OBSERVED}, da_height = NULL
          WHERE node_key = $1 AND sequence = ANY ($2::bigint[])`,
        [nodeKey, all],
      );
    }
  }

  firstSuccessOf(nodeKey: number): bigint | null {
    const rows = this.recordedByNode.get(nodeKey) ?? [];
    return rows.find(({ status, daHeight }) => status === 0 && daHeight !== null)?.daHeight ?? null;
  }

  isPassed(cell: Cell, { kind }: Attempt): boolean {
    return standOfKind(SUBMISSION_KINDS[kind] ?? 'UNKNOWN', this.standsOf(cell)) === 'PASSED';
  }

  evaluate(cell: Cell, position: bigint, at: bigint): void {
    const stands = this.standsOf(cell);
    const fit = this.fit(cell, position);
    const open: { -readonly [Name in keyof OpenState]: OpenState[Name] } = {
      passed: false,
      beyond: false,
      waitsFor: null,
    };
    cell.attempts.forEach((attempt, index) => {
      // It may have been confirmed before it was known which blobs it carried.
      if (decide(attempt, position, fit.carriedBy(index))) this.changes.attempts.add(attempt);
      if (attempt.status !== 0) return;
      const kind = SUBMISSION_KINDS[attempt.kind] ?? 'UNKNOWN';
      const told = evidenceOfSuccess({ kind, blobCount: attempt.blobCount }, fit.fitOf(index), stands);
      const evidence = evidenceCodeOf(told);
      if (decide(attempt, position, { evidence })) this.changes.attempts.add(attempt);
      if (told === 'OBSERVED' && standOfKind(kind, stands) === 'BEFORE') open.beyond = true;
    });
    for (const kind of KINDS) {
      const unexplained = fit.unexplained(kind);
      const rebuilt = cell.rebuilt[kind];
      const isOpen = !cell.isUndecided(kind);
      const isRight = isOpen && unexplained !== null && isProvenBy(rebuilt, unexplained);
      if (rebuilt && !isRight) this.withdraw(cell, kind, position);
      if (!unexplained || isRight) continue;
      if (stands[kind] === 'PASSED' && isOpen) open.passed = true;
      // What no walk has passed by now another node's may pass yet: one that began lower, or stepped over nothing.
      if (stands[kind] !== 'PASSED') open.beyond = true;
    }
    // Both kinds are asked at once.
    if (open.passed) cell.askAgain();
    open.waitsFor = cell.waitsFor;
    const isUndecided = open.waitsFor !== null;
    const isWaiting = open.passed || open.beyond || isUndecided;
    if (isWaiting && ((!cell.open && !isUndecided) || this.grown.has(cell))) cell.changedAt = at;
    this.grown.delete(cell);
    cell.open = isWaiting ? open : undefined;
    this.queue.put(cell);
  }

  missingOf(cell: Cell): Missing[] {
    const stands = this.standsOf(cell);
    const kinds = KINDS.filter(
      (kind) => !cell.rebuilt[kind] && !cell.isUndecided(kind) && stands[kind] === 'PASSED',
    );
    return unexplainedOf(cell, kinds);
  }

  standingOf(cell: Cell): Missing[] {
    return unexplainedOf(
      cell,
      KINDS.filter((kind) => cell.rebuilt[kind]),
    );
  }

  private addRows(fact: RecordFact & { type: 'rows' }, touched: Set<Cell>): void {
    if (fact.rows.some(isPlaced)) this.askUndecided(fact, touched);
    for (const { cell, released } of takeOver(this, fact.rows, fact.position)) {
      if (released.isStored) this.released.push(this.identify(released));
      touched.add(cell);
    }
    for (const row of fact.rows) {
      listOf(this.recordedByNode, row.nodeKey).push(row);
      if (!isPlaced(row)) continue;
      this.losses.noteSuccess(row.nodeKey, row.daHeight);
      if (this.parts.openLosses.delete(row.nodeKey)) this.moveHole(fact, row.daHeight);
      if (row.lineageKey === null) {
        listOf(this.orphans, row.nodeKey).push(row);
        doubt(this, [row], this.renames.chainOf(row), fact.position, touched);
      } else touched.add(this.addAttempt(row, row.lineageKey, row.daHeight));
    }
  }

  /** A success may exclude the row for which something was left undecided. */
  private askUndecided(fact: RecordFact, touched: Set<Cell>): void {
    for (const lineageKey of this.lineagesOf(fact)) {
      if (this.pages) this.pages.leave('UNDECIDED', fact, { lineageKey, nextNumber: 0n });
      else for (const cell of this.queue.undecidedUntil(lineageKey, fact.nodeKey)) touched.add(cell);
    }
  }

  addAttempt(attempt: Attempt, lineageKey: number, daHeight: bigint): Cell {
    const cell = this.cells.get(lineageKey, daHeight);
    cell.addAttempt(attempt);
    return cell;
  }

  private async addBlocks(fact: RecordFact & { type: 'blocks' }, touched: Set<Cell>): Promise<void> {
    const { lineageKey } = fact;
    const { walks, maxDa } = this.parts;
    const { included, walked } = await walks.apply(fact, this.query);
    for (const { kind, daHeight, blob } of included) {
      const cell = this.cells.get(lineageKey, daHeight);
      this.pointedTo.add(cell);
      if (!cell.addBlob(kind, blob)) continue;
      touched.add(cell);
      this.grown.add(cell);
      if (daHeight > (maxDa.get(lineageKey) ?? -1n)) maxDa.set(lineageKey, daHeight);
    }
    this.touchWalked(fact, walked, touched);
  }

  private async addGap(fact: RecordFact & { type: 'gap' }, touched: Set<Cell>): Promise<void> {
    this.touchWalked(fact, await this.parts.walks.applyGap(fact, this.query), touched);
  }

  private touchWalked(
    fact: RecordFact & { readonly lineageKey: number },
    walked: DaRange | null,
    touched: Set<Cell>,
  ): void {
    if (!walked) return;
    const { lineageKey } = fact;
    for (const cell of this.queue.pendingOf(lineageKey, walked)) touched.add(cell);
    this.pages?.leave('WALKED', fact, { lineageKey, nextNumber: walked.from, below: walked.below });
  }

  private async changeChain(fact: RecordFact & { type: 'chain' }, touched: Set<Cell>): Promise<void> {
    const { nodeKey, renamed, chainId, position } = fact;
    if (!renamed) return;
    this.renames.take(nodeKey);
    if (this.pages) return this.pages.leave('CHAIN', fact, { chainId: renamed.before });
    await markRenamed(nodeKey, renamed, this.marks, this.query);
    const recorded = (this.recordedByNode.get(nodeKey) ?? []).filter(isUnplaced);
    const stored = await getRenamed(nodeKey, renamed, this.query);
    const rows = [...stored, ...recorded.filter(({ fromPosition }) => fromPosition >= renamed.since)];
    for (const chain of [renamed.before, chainId]) doubt(this, rows, chain, position, touched);
  }

  private async addLoss(fact: RecordFact & { type: 'loss' }): Promise<void> {
    const { openLosses } = this.parts;
    const loss = await this.losses.add(fact, this.query);
    const others = openLosses.get(fact.nodeKey) ?? 0;
    openLosses.set(fact.nodeKey, others + 1);
    // They all begin behind the same success: what two of them can hold is nobody's already.
    if (others < 2) this.moveHole(fact, loss.daBefore);
  }

  /** What was reconstructed from a DA height on may be part of another loss, or of none, now that a hole began or ended there. */
  private moveHole(fact: RecordFact, from: bigint | null): void {
    const lineages = this.lineagesOf(fact);
    const nextNumber = from ?? 0n;
    if (!this.pages) this.moved = { lineages: new Set(lineages), from: nextNumber };
    else for (const lineageKey of lineages) this.pages.leave('LOSS', fact, { lineageKey, nextNumber });
  }

  private async settleMoved(position: bigint): Promise<void> {
    const { moved } = this;
    this.moved = undefined;
    if (!moved) return;
    const isMeant = ({ lineageKey, daHeight }: Cell) =>
      moved.lineages.has(lineageKey) && daHeight >= moved.from;
    await placeAnew(this, [...this.cells.all()].filter(isMeant), position);
  }

  /** An event recorded rows that do not tell where they landed: they may be what was reconstructed by now. */
  private async reconsider(fact: RecordFact): Promise<void> {
    const lineages = this.lineagesOf(fact);
    if (this.pages) {
      for (const lineageKey of lineages) this.pages.leave('LATE', fact, { lineageKey });
      return;
    }
    const cells = [...this.cells.all()].filter(({ lineageKey }) => lineages.includes(lineageKey));
    await this.reconsiderAll(cells, fact.position, fact.at);
  }

  /** Decides what an event made ready of a chain. */
  private async decide(fact: RecordFact, chainId: string): Promise<void> {
    const through = this.parts.views.lookedThrough(chainId);
    const lineages = this.parts.lineagesOf.get(chainId) ?? [];
    if (this.pages) {
      for (const lineageKey of lineages) this.pages.leave('READY', fact, { lineageKey });
      return;
    }
    const ready = lineages.flatMap((lineageKey) => this.queue.takeReady(lineageKey, through));
    for (const lineageKey of lineages) this.parts.decidedThrough.set(lineageKey, through);
    if (ready.length > 0) await this.decideAll(ready, fact.position, fact.at);
  }

  /** The histories of the chain that an event's node is of. */
  private lineagesOf({ nodeKey }: RecordFact): readonly number[] {
    return this.parts.lineagesOf.get(this.parts.views.get(nodeKey).chainId ?? '') ?? [];
  }

  /** Places all attempts; a failed one that was thought to have carried blobs and no longer fits is let go. */
  private fit(cell: Cell, position: bigint): CellFit {
    const fit = new CellFit(cell);
    const wrong = cell.attempts.filter((each, index) => each.status !== 0 && fit.fitOf(index) !== 'EXACT');
    if (wrong.length === 0) return fit;
    for (const attempt of wrong) {
      cell.removeAttempt(attempt);
      if (attempt.isStored) this.released.push(this.identify(attempt));
      decide(attempt, position, { evidence: OBSERVED, daHeight: null, ...NOTHING_CARRIED });
      this.changes.attempts.add(attempt);
    }
    return this.fit(cell, position);
  }

  withdraw(cell: Cell, kind: BlobKind, position: bigint): void {
    const rebuilt = cell.rebuilt[kind];
    if (!rebuilt) return;
    rebuilt.toPosition = position;
    delete cell.rebuilt[kind];
    this.changes.rebuilt.add(rebuilt);
    this.withdrawn.push(rebuilt);
  }

  /** Losses that counted what has just been withdrawn no longer do. */
  private async settleWithdrawn(position: bigint): Promise<void> {
    for (const { lossNodeKey, lossPosition } of this.withdrawn.splice(0)) {
      if (lossNodeKey !== null && lossPosition !== null) {
        await this.losses.giveBack(lossNodeKey, lossPosition, position, this.query);
      }
    }
  }

  private standsOf(cell: Cell): { readonly [K in BlobKind]: Stand } {
    const walks = this.parts.walks.ofLineage(cell.lineageKey);
    return {
      HEADER: standOf(walks, 'HEADER', cell.daHeight),
      DATA: standOf(walks, 'DATA', cell.daHeight),
    };
  }
}

/** Whether a row is a success that tells its DA height. */
function isPlaced(row: SubmissionRecord): row is SubmissionRecord & { readonly daHeight: bigint } {
  return row.status === 0 && row.daHeight !== null;
}

function unexplainedOf(cell: Cell, kinds: readonly BlobKind[]): Missing[] {
  if (kinds.length === 0) return [];
  const fit = new CellFit(cell);
  return kinds.flatMap((kind) => {
    const unexplained = fit.unexplained(kind);
    const shownAt = cell.rebuilt[kind]?.observedAt ?? cell.changedAt;
    return unexplained ? [{ cell, kind, shownAt, ...unexplained }] : [];
  });
}

function listOf<T>(lists: Map<number, T[]>, key: number): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
