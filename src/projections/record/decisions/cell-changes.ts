import type { DecidedCell, CellSuccess } from '../../../domain/evidence/decide-cell.js';
import { MOST_POSSIBLE } from '../../../domain/evidence/explain-group.js';
import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import { nanosToMicros, type Micros, type Nanos } from '../../../domain/time.js';
import type { BracketEntity } from '../../../tables/record.entities.js';
import type { LossBook } from '../facts/losses.js';
import { groupName, KIND_CODES, type Cell } from './cell.js';
import { decide, takeBack, type Row } from './row.js';
import { GroupVersions, isSameGroup, type UnexplainedGroup } from './cell.js';
import { bracketAt, type PossibleRow, type PossibleRows } from './possible-rows.js';
import type { Step } from './step.js';

/** A success in the form that the pure rules take. */
export interface RowSuccess extends CellSuccess {
  readonly row: Row;
}

export type CellOutcome = DecidedCell<RowSuccess, PossibleRow>;

export interface ChangeParts {
  readonly possible: PossibleRows;
  readonly losses: LossBook;
}

/** Translates decided cells into changes of rows, groups and losses. */
export class CellChanges {
  readonly rows = new Set<Row>();
  readonly groups = new GroupVersions();

  constructor(private readonly parts: ChangeParts) {}

  applyRows(step: Step, cell: Cell, { successes, landed }: CellOutcome): void {
    for (const { attempt, lineageKey, evidence, carried } of successes) {
      this.change(attempt.row, step, { lineageKey, evidence: evidenceCodeOf(evidence), ...carried });
    }
    const before = new Set(cell.landed);
    for (const { rows, as, lineageKey, carried } of landed) {
      const { daHeight } = cell;
      for (const { row } of rows) {
        row.shownAt ??= shownAtOf(step, cell, lineageKey, as);
        this.change(row, step, { lineageKey, daHeight, evidence: evidenceCodeOf('CONFIRMED'), ...carried });
        before.delete(row);
        cell.landed.add(row);
      }
    }
    for (const row of before) {
      cell.landed.delete(row);
      if (row.daHeight !== cell.daHeight) continue;
      if (takeBack(row, step.position)) this.rows.add(row);
    }
  }

  applyGroups(step: Step, cell: Cell, { groups }: CellOutcome): void {
    const left = new Map(cell.groups);
    for (const group of groups) {
      const { explanation } = group;
      if (explanation.outcome === 'UNDECIDED' && explanation.isSuccess) continue;
      const name = groupName(group.lineageKey, group.kind);
      const now = this.toStanding(step, cell, group);
      const standing = left.get(name);
      left.delete(name);
      if (standing && isSameGroup(standing, now)) continue;
      if (standing) this.end(standing, step);
      cell.groups.set(name, now);
      this.groups.add(now);
      this.count(now, 1n, step);
    }
    for (const [name, standing] of left) {
      cell.groups.delete(name);
      this.end(standing, step);
    }
  }

  private change(row: Row, { position }: Step, decided: Parameters<typeof decide>[2]): void {
    if (decide(row, position, decided)) this.rows.add(row);
  }

  private end(group: UnexplainedGroup, step: Step): void {
    this.groups.end(group, step.position);
    this.count(group, -1n, step);
  }

  private count(group: UnexplainedGroup, by: bigint, { position }: Step): void {
    if (group.lossPosition !== null) this.parts.losses.count(group.lossPosition, group, by, position);
  }

  private toStanding(
    step: Step,
    cell: Cell,
    { lineageKey, kind, left, carried, explanation }: CellOutcome['groups'][number],
  ): UnexplainedGroup {
    let newestNs: Nanos = 0n;
    for (const { timeNs } of left.blobs) if (timeNs > newestNs) newestNs = timeNs;
    const isUndecided = explanation.outcome === 'UNDECIDED';
    const shownAt = shownAtOf(step, cell, lineageKey, kind);
    return {
      lineageKey,
      chainId: cell.chain,
      daHeight: cell.daHeight,
      kind: KIND_CODES[kind],
      evidence: evidenceCodeOf(explanation.outcome),
      blobCount: left.count,
      sizeBytes: left.bytes,
      ...carried,
      timeAt: nanosToMicros(newestNs),
      observedAt: shownAt,
      namespaceKey: step.namespaces[kind],
      fromPosition: step.position,
      lossPosition: this.holderOf(step, { kind, daHeight: cell.daHeight, shownAt, explanation }),
      possible: isUndecided ? explanation.possible : null,
      isStored: false,
    };
  }

  /**
   * The only gap, in all lists of the chain, that can contain a group by DA heights. Null if there are several or none, or
   * if a row that is not next to the gap may be the group.
   */
  private holderOf(
    { chain, position, seenAt }: Step,
    { kind, daHeight, shownAt, explanation }: StoredGroup,
  ): bigint | null {
    let holder: BracketEntity | null = null;
    let isSure = false;
    for (const bracket of this.parts.possible.bracketsOf({ chain, kind, daHeight })) {
      const { from, to, hasGap } = bracketAt(bracket, position);
      if (
        !hasGap ||
        bracket.lossChain !== chain ||
        (from !== null && daHeight < from) ||
        (to !== null && daHeight > to)
      )
        continue;
      const hasOther = bracket.otherLossPosition !== null && bracket.otherLossPosition <= position;
      if (holder !== null || hasOther) return null;
      holder = bracket;
      // The list may have rows after the gap that are not shown yet.
      isSure = to !== null || (seenAt.get(bracket.nodeKey) ?? 0n) > shownAt;
    }
    if (!isSure || !holder) return null;
    return mayAllBeIn(holder, explanation) ? holder.lossPosition : null;
  }
}

interface StoredGroup {
  readonly kind: BlobKind;
  readonly daHeight: bigint;
  readonly shownAt: Micros;
  readonly explanation: CellOutcome['groups'][number]['explanation'];
}

/** Whether all rows that may be the group are known and belong to this bracket. */
function mayAllBeIn(
  { nodeKey, kind, afterSequence }: BracketEntity,
  explanation: StoredGroup['explanation'],
): boolean {
  if (explanation.outcome === 'RECONSTRUCTED') return true;
  const after = kind === KIND_CODES.HEADER ? 'headerAfter' : 'dataAfter';
  return (
    explanation.possible <= MOST_POSSIBLE &&
    explanation.rows.every(({ row }) => row.nodeKey === nodeKey && row[after] === afterSequence)
  );
}

/** When a walk had passed a group, by the observer's clock. */
export function shownAtOf(step: Step, cell: Cell, lineageKey: number, kind: BlobKind): Micros {
  const standing = cell.groups.get(groupName(lineageKey, kind));
  if (standing) return standing.observedAt;
  const { daHeight } = cell;
  const other = KIND_CODES[kind === 'HEADER' ? 'DATA' : 'HEADER'];
  for (const row of cell.landed) {
    if (row.kind === other || row.lineageKey !== lineageKey || row.daHeight !== daHeight) continue;
    if (row.shownAt !== null) return row.shownAt;
  }
  const ofKind = step.passed.filter((each) => each.lineageKey === lineageKey && each.kind === kind);
  const stair = ofKind.find(({ from, below }) => from <= daHeight && daHeight < below);
  return stair?.at ?? step.at;
}
