import { compareIntegers } from '../../../domain/collections.js';
import type { Leftover } from '../../../domain/evidence/blob-segments.js';
import { decideCell, sizesOf, type ShownHistory } from '../../../domain/evidence/decide-cell.js';
import { explainGroup, type Explanation } from '../../../domain/evidence/explain-group.js';
import { walkPositionOf, type BlobKind, type WalkPosition } from '../../../domain/evidence/inclusion-walk.js';
import { SUBMISSION_KINDS } from '../../../domain/submissions/submission-codes.js';
import { byList, type Cell, type Cells } from './cell.js';
import {
  CellChanges,
  shownAtOf,
  type CellOutcome,
  type ChangeParts,
  type RowSuccess,
} from './cell-changes.js';
import { isFree, type GroupQuestion, type PossibleRow } from './possible-rows.js';
import type { Row } from './row.js';
import type { Step } from './step.js';

/** A step with the DA heights at which it decides. */
export interface ToDecide {
  readonly step: Step;
  readonly heights: ReadonlySet<bigint>;
  /** Higher DA heights at which the step decides later. */
  readonly later?: ReadonlySet<bigint>;
}

type Explain = (history: ShownHistory, kind: BlobKind, left: Leftover) => Explanation<PossibleRow>;

/** The questions of steps about rows that report no DA height. */
export interface StepQuestions {
  readonly groups: readonly GroupQuestion[];
  /** Outcomes that do not depend on such rows, by step and DA height. */
  readonly clear: readonly ReadonlyMap<bigint, CellOutcome>[];
}

/** Finds the groups of these steps that such rows may explain. @param cells already loaded */
export function askGroups(toDecide: readonly ToDecide[], cells: Cells): StepQuestions {
  const groups: GroupQuestion[] = [];
  const clear = toDecide.map(({ step, heights }) => {
    const outcomes = new Map<bigint, CellOutcome>();
    for (const daHeight of heights) {
      const before = groups.length;
      const cell = cells.get(step.chain, daHeight);
      const outcome = decideAt(step, cell, (_, kind, left) => {
        groups.push(toAsked(step, cell, kind, left));
        return { outcome: 'RECONSTRUCTED' };
      });
      if (groups.length === before) outcomes.set(daHeight, outcome);
    }
    return outcomes;
  });
  return { groups, clear };
}

/** Decides each step at its DA heights, in ascending order. @param asked the questions for which `possible` was loaded */
export function decideSteps(
  toDecide: readonly ToDecide[],
  { clear }: StepQuestions,
  { cells, ...parts }: ChangeParts & { readonly cells: Cells },
): CellChanges {
  const changes = new CellChanges(parts);
  toDecide.forEach(({ step, heights, later = new Set() }, n) => {
    const isDecided = (daHeight: bigint) => heights.has(daHeight) || later.has(daHeight);
    for (const daHeight of [...heights].sort(compareIntegers)) {
      const cell = cells.get(step.chain, daHeight);
      if (!names(step, daHeight) && !hasLeft(cell)) continue;
      const explain: Explain = (history, kind, left) => {
        const asked = toAsked(step, cell, kind, left);
        const rows = parts.possible
          .of(asked, (row) => isFree(row, daHeight, isDecided))
          .filter(({ row }) => row.chainId === cell.chain);
        const shownAt = shownAtOf(step, cell, history.lineageKey, kind);
        return explainGroup({ ...asked, shownAt }, rows);
      };
      const outcome = clear[n]?.get(daHeight) ?? decideAt(step, cell, explain);
      changes.applyRows(step, cell, outcome);
      changes.applyGroups(step, cell, outcome);
    }
    for (const gap of step.holes) parts.losses.noteRow(gap, step.position);
  });
  return changes;
}

/** Whether a step decides at a DA height in any case. A step that re-examines groups decides only where groups exist by then. */
function names({ cells, passed, asksAll }: Step, daHeight: bigint): boolean {
  return (
    asksAll || cells.has(daHeight) || passed.some(({ from, below }) => from <= daHeight && daHeight < below)
  );
}

/** Whether a DA height has groups, or failures that landed there. */
function hasLeft({ daHeight, groups, landed }: Cell): boolean {
  return groups.size > 0 || [...landed].some((row) => row.daHeight === daHeight);
}

function toAsked(
  { position }: Step,
  { chain, daHeight }: Cell,
  kind: BlobKind,
  left: Leftover,
): GroupQuestion {
  return { chain, kind, daHeight, blobCount: left.count, sizes: sizesOf(kind, left), position };
}

function decideAt(step: Step, cell: Cell, explain: Explain): CellOutcome {
  const rows = [...cell.successes].filter(({ fromPosition }) => fromPosition <= step.position);
  rows.sort(byList);
  const named = new Set(rows.flatMap(({ toldLineageKey }) => toldLineageKey ?? []));
  const histories: ShownHistory[] = [];
  for (const [lineageKey, walks] of step.walks) {
    const shown = cell.blobs.get(lineageKey);
    if (!shown && !named.has(lineageKey)) continue;
    const blobs = cell.blobsOf(lineageKey, step.position);
    const stand = (kind: BlobKind): WalkPosition => {
      const isDecided = cell.daHeight < (step.below.get(lineageKey)?.[kind] ?? 0n);
      return isDecided ? walkPositionOf(walks, kind, cell.daHeight) : 'BEYOND';
    };
    const isShownBy = (key: number) => walks.some(({ nodeKey }) => nodeKey === key);
    const stands = { HEADER: stand('HEADER'), DATA: stand('DATA') };
    histories.push({ lineageKey, isShownBy, blobs, stands });
  }
  return decideCell(histories, rows.map(toSuccess), explain);
}

function toSuccess(row: Row): RowSuccess {
  const { nodeKey, sequence, blobCount, sizeBytes, toldLineageKey: toldLineage } = row;
  const kind = SUBMISSION_KINDS[row.kind] ?? 'UNKNOWN';
  return { row, nodeKey, sequence, blobCount, sizeBytes, kind, toldLineage };
}
