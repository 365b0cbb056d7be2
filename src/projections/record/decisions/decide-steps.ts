import { compareIntegers } from '../../../domain/collections.js';
import type { Leftover } from '../../../domain/evidence/blob-segments.js';
import { decideCell, sizesOf, type ShownHistory } from '../../../domain/evidence/decide-cell.js';
import { explainGroup, type Explanation } from '../../../domain/evidence/explain-group.js';
import { standOf, type BlobKind, type Stand } from '../../../domain/evidence/inclusion-walk.js';
import { SUBMISSION_KINDS } from '../../../domain/submissions/submission-codes.js';
import type { Query } from '../../projection.js';
import {
  CellChanges,
  shownAtOf,
  type CellOutcome,
  type ChangeParts,
  type Decided,
  type RowSuccess,
} from './cell-changes.js';
import { byList, type Cell, type Cells } from './cells.js';
import type { AskedGroup, PossibleRow } from './possible-rows.js';
import { nameOf, type Row } from './row.js';
import type { Step } from './step.js';

/** The books that steps are decided with. */
export interface DecideParts extends ChangeParts {
  readonly cells: Cells;
  readonly loadCells: (wanted: Iterable<{ chain: string; daHeight: bigint }>) => Promise<void>;
}

/** A step with the DA heights at which it decides. */
interface ToDecide {
  readonly step: Step;
  readonly heights: ReadonlySet<bigint>;
}

type Explain = (history: ShownHistory, kind: BlobKind, left: Leftover) => Explanation<PossibleRow>;

/** Decides step by step what events told, from the tables and from what the turn holds. */
export class StepDecider {
  private readonly changes: CellChanges;

  constructor(
    private readonly parts: DecideParts,
    private readonly query: Query,
  ) {
    this.changes = new CellChanges(parts);
  }

  get decided(): Decided {
    return this.changes.decided;
  }

  /** Decides each step at its DA heights. */
  async run(toDecide: readonly ToDecide[]): Promise<void> {
    await this.parts.loadCells(
      toDecide.flatMap(({ step, heights }) =>
        [...heights].map((daHeight) => ({ chain: step.chain, daHeight })),
      ),
    );
    const clear = await this.prepare(toDecide);
    for (const [n, each] of toDecide.entries()) this.decide(each, clear[n] ?? new Map());
  }

  /** Loads what may explain the groups of these steps. @returns by step what is clear without: where there is no such group */
  private async prepare(toDecide: readonly ToDecide[]): Promise<Map<bigint, CellOutcome>[]> {
    const asked: AskedGroup[] = [];
    const clear = toDecide.map(({ step, heights }) => {
      const outcomes = new Map<bigint, CellOutcome>();
      for (const daHeight of heights) {
        const before = asked.length;
        const cell = this.parts.cells.get(step.chain, daHeight);
        const outcome = decideAt(step, cell, (_, kind, left) => {
          asked.push(toAsked(step, cell, kind, left));
          return { outcome: 'RECONSTRUCTED' };
        });
        if (asked.length === before) outcomes.set(daHeight, outcome);
      }
      return outcomes;
    });
    if (asked.length > 0) await this.parts.possible.load(asked, this.query);
    return clear;
  }

  private decide({ step, heights }: ToDecide, clear: ReadonlyMap<bigint, CellOutcome>): void {
    const taken = new Set<string>();
    const all = [...heights].sort(compareIntegers);
    for (const daHeight of all) {
      const cell = this.parts.cells.get(step.chain, daHeight);
      const isFree = (row: Row) => {
        if (taken.has(nameOf(row))) return false;
        return (
          row.daHeight === null ||
          row.daHeight === daHeight ||
          (heights.has(row.daHeight) && row.daHeight > daHeight)
        );
      };
      const landedWith = new Map<Row, readonly Row[]>();
      const explain: Explain = (history, kind, left) =>
        this.explain(step, cell, { history, kind, left }, isFree, landedWith);
      const outcome = clear.get(daHeight) ?? decideAt(step, cell, explain);
      this.changes.applyRows(step, cell, outcome, { taken, landedWith });
      this.changes.applyGroups(step, cell, outcome);
    }
  }

  private explain(
    step: Step,
    cell: Cell,
    { history, kind, left }: { history: ShownHistory; kind: BlobKind; left: Leftover },
    isFree: (row: Row) => boolean,
    landedWith: Map<Row, readonly Row[]>,
  ): Explanation<PossibleRow> {
    const asked = toAsked(step, cell, kind, left);
    const rows = this.parts.possible.of(asked, isFree).filter(({ row }) => row.chainId === cell.chain);
    const explained = explainGroup(
      { ...asked, shownAt: shownAtOf(step, cell, history.lineageKey, kind) },
      rows,
    );
    if (explained.outcome === 'LANDED') {
      const { attempt, row } = explained.attempt;
      landedWith.set(
        row,
        rows.filter((each) => each.attempt === attempt).map((each) => each.row),
      );
    }
    return explained;
  }
}

function toAsked({ position }: Step, { chain, daHeight }: Cell, kind: BlobKind, left: Leftover): AskedGroup {
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
    const stand = (kind: BlobKind): Stand => {
      const stands = standOf(walks, kind, cell.daHeight);
      const isDecided = cell.daHeight < (step.below.get(lineageKey)?.[kind] ?? 0n);
      return stands === 'PASSED' && !isDecided ? 'BEYOND' : stands;
    };
    const isShownBy = (key: number) => walks.some(({ nodeKey }) => nodeKey === key);
    histories.push({
      lineageKey,
      isShownBy,
      blobs,
      stands: { HEADER: stand('HEADER'), DATA: stand('DATA') },
    });
  }
  return decideCell(histories, rows.map(toSuccess), explain);
}

function toSuccess(row: Row): RowSuccess {
  const { nodeKey, sequence, blobCount, sizeBytes, toldLineageKey: toldLineage } = row;
  const kind = SUBMISSION_KINDS[row.kind] ?? 'UNKNOWN';
  return { row, nodeKey, sequence, blobCount, sizeBytes, kind, toldLineage };
}
