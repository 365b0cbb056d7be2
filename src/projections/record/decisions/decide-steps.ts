import { compareIntegers } from '../../../domain/collections.js';
import type { Leftover } from '../../../domain/evidence/blob-segments.js';
import {
  explainCell,
  leftoversOf,
  placeCell,
  sizesOf,
  type PlacedCell,
  type ShownHistory,
} from '../../../domain/evidence/decide-cell.js';
import { explainGroup } from '../../../domain/evidence/explain-group.js';
import { walkPositionOf, type BlobKind, type WalkPosition } from '../../../domain/evidence/inclusion-walk.js';
import { SUBMISSION_KINDS } from '../../../domain/submissions/submission-codes.js';
import { byList, type Cell, type Cells } from './cell.js';
import { CellChanges, shownAtOf, type ChangeParts, type RowSuccess } from './cell-changes.js';
import { isFree, type GroupQuestion } from './possible-rows.js';
import type { Row } from './row.js';
import type { Step } from './step.js';

/** A step with the DA heights at which it decides. */
export interface ToDecide {
  readonly step: Step;
  readonly heights: ReadonlySet<bigint>;
}

/** A step with its DA heights, whose successes are decided. */
export interface PlacedStep {
  readonly step: Step;
  /** By ascending DA height. */
  readonly placed: ReadonlyMap<bigint, PlacedCell<RowSuccess>>;
  /** Higher DA heights at which the step decides later. */
  readonly later?: ReadonlySet<bigint>;
}

/** Decides the successes of steps. Rows without a DA height do not matter yet. @param cells already loaded */
export function placeSteps(toDecide: readonly ToDecide[], cells: Cells): PlacedStep[] {
  return toDecide.map(({ step, heights }) => {
    const placed = new Map<bigint, PlacedCell<RowSuccess>>();
    for (const daHeight of [...heights].sort(compareIntegers))
      placed.set(daHeight, placeAt(step, cells.get(step.chain, daHeight)));
    return { step, placed };
  });
}

/** Finds the groups of these steps that rows without a DA height may explain. */
export function askGroups(steps: readonly PlacedStep[]): GroupQuestion[] {
  return steps.flatMap(({ step, placed }) =>
    [...placed].flatMap(([daHeight, cell]) =>
      leftoversOf(cell).map(({ kind, left }) => toAsked(step, daHeight, kind, left)),
    ),
  );
}

/** Decides each step at its DA heights, in ascending order. `possible` has the rows for the questions of {@link askGroups}. */
export function decideSteps(
  steps: readonly PlacedStep[],
  { cells, ...parts }: ChangeParts & { readonly cells: Cells },
): CellChanges {
  const changes = new CellChanges(parts);
  for (const { step, placed, later } of steps) {
    const isDecided = (daHeight: bigint) => placed.has(daHeight) || (later?.has(daHeight) ?? false);
    for (const [daHeight, placedCell] of placed) {
      const cell = cells.get(step.chain, daHeight);
      if (!names(step, daHeight) && !hasLeft(cell)) continue;
      const outcome = explainCell(placedCell, ({ lineageKey, isShownBy }, kind, left) => {
        const asked = toAsked(step, daHeight, kind, left);
        const chainless = cell.chainlessAt(step.position).filter(({ nodeKey }) => isShownBy(nodeKey));
        const isOfChain = (row: Row) => row.chainId === cell.chain && isFree(row, daHeight, isDecided);
        const rows = parts.possible.of(asked, isOfChain, chainless);
        return explainGroup({ ...asked, shownAt: shownAtOf(step, cell, lineageKey, kind) }, rows);
      });
      changes.applyRows(step, cell, outcome);
      changes.applyGroups(step, cell, outcome);
    }
    for (const gap of step.holes) parts.losses.noteRow(gap, step.position);
  }
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

function toAsked({ chain, position }: Step, daHeight: bigint, kind: BlobKind, left: Leftover): GroupQuestion {
  return { chain, kind, daHeight, blobCount: left.count, sizes: sizesOf(kind, left), position };
}

function placeAt(step: Step, cell: Cell): PlacedCell<RowSuccess> {
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
  return placeCell(histories, rows.map(toSuccess));
}

function toSuccess(row: Row): RowSuccess {
  const { nodeKey, sequence, blobCount, sizeBytes, toldLineageKey: toldLineage } = row;
  const kind = SUBMISSION_KINDS[row.kind] ?? 'UNKNOWN';
  return { row, nodeKey, sequence, blobCount, sizeBytes, kind, toldLineage };
}
