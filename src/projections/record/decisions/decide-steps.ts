import type { Leftover } from '../../../domain/evidence/blob-segments.js';
import {
  decideCell,
  sizesOf,
  type CellSuccess,
  type DecidedCell,
  type Explained,
  type ShownHistory,
} from '../../../domain/evidence/decide-cell.js';
import { explainGroup } from '../../../domain/evidence/explain-group.js';
import { standOf, type BlobKind, type Stand } from '../../../domain/evidence/inclusion-walk.js';
import { NOTHING_CARRIED } from '../../../domain/submissions/carried-blobs.js';
import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import { nanosToMicros, type Micros, type Nanos } from '../../../domain/time.js';
import type { Query } from '../../projection.js';
import { decide } from './decide.js';
import type { LossBook } from './losses.js';
import { byList, groupName, KIND_CODES, toAttempt, type Cell, type Cells } from './cells.js';
import { GroupVersions, isSameGroup, type StandingGroup } from './groups.js';
import { bracketAt, type PossibleRows } from './possible-rows.js';
import { nameOf, type Row } from './row.js';
import type { Step } from './steps.js';

/** What is decided is written from here. */
export interface Decided {
  readonly rows: Set<Row>;
  /** Rows with the history that they were of before. */
  readonly moved: { readonly row: Row; readonly lineageKey: number | null }[];
  readonly groups: GroupVersions;
}

export interface DecideParts {
  readonly chainOf: ReadonlyMap<number, string>;
  readonly lineagesOf: ReadonlyMap<string, readonly number[]>;
  readonly cells: Cells;
  readonly loadCells: (wanted: Iterable<{ chain: string; daHeight: bigint }>) => Promise<void>;
  readonly possible: PossibleRows;
  readonly losses: LossBook;
}

/** A success as the pure rules take it. */
interface Success extends CellSuccess {
  readonly row: Row;
}

type Outcome = DecidedCell<Success, Success>;
type Explain = (history: ShownHistory, kind: BlobKind, left: Leftover) => Explained<Success>;

/** Decides step by step what events told, from the tables and from what the turn holds. */
export class StepDecider {
  readonly decided: Decided = { rows: new Set(), moved: [], groups: new GroupVersions() };

  constructor(
    private readonly parts: DecideParts,
    private readonly query: Query,
  ) {}

  /** @param heights DA heights at which each step decides */
  async run(steps: readonly Step[], heights: readonly ReadonlySet<bigint>[]): Promise<void> {
    if (steps.length === 0) return;
    const of = (n: number) => [...(heights[n] ?? [])];
    const wanted = steps.flatMap(({ chain }, n) => of(n).map((daHeight) => ({ chain, daHeight })));
    await this.parts.loadCells(wanted);
    await this.prepare(steps, heights);
    for (const [n, step] of steps.entries()) await this.decide(step, heights[n] ?? new Set());
  }

  /** Loads what may explain the groups of these steps. */
  private async prepare(steps: readonly Step[], heights: readonly ReadonlySet<bigint>[]): Promise<void> {
    const asked: Parameters<PossibleRows['load']>[0][number][] = [];
    for (const [n, step] of steps.entries()) {
      for (const daHeight of heights[n] ?? []) {
        const cell = this.parts.cells.get(step.chain, daHeight);
        if (cell.blobs.size === 0) continue;
        decideAt(step, cell, (_, kind, left) => {
          const sizes = sizesOf(kind, left);
          const { chain, position } = step;
          asked.push({ chain, kind, daHeight, blobCount: left.count, sizes, position });
          return { outcome: 'RECONSTRUCTED' };
        });
      }
    }
    if (asked.length > 0) await this.parts.possible.load(asked, this.query);
  }

  private async decide(step: Step, heights: ReadonlySet<bigint>): Promise<void> {
    const taken = new Set<string>();
    const all = [...heights].sort((a, b) => (a < b ? -1 : 1));
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
      const outcome = decideAt(step, cell, (history, kind, left) =>
        this.explain(step, cell, { history, kind, left }, isFree, landedWith),
      );
      this.applyRows(step, cell, outcome, { taken, landedWith });
      await this.applyGroups(step, cell, outcome);
    }
  }

  private explain(
    step: Step,
    cell: Cell,
    { history, kind, left }: { history: ShownHistory; kind: BlobKind; left: Leftover },
    isFree: (row: Row) => boolean,
    landedWith: Map<Row, readonly Row[]>,
  ): Explained<Success> {
    const { chain, daHeight } = cell;
    const sizes = sizesOf(kind, left);
    const asked = { chain, kind, daHeight, blobCount: left.count, sizes, position: step.position };
    const rows = this.parts.possible.of(asked, isFree).filter(({ row }) => this.chainOf(row) === chain);
    const shownAt = shownAtOf(step, cell, history.lineageKey, kind);
    const group = { kind, daHeight, blobCount: left.count, sizes, shownAt };
    const explained = explainGroup(
      group,
      rows.map(({ possible }) => possible),
    );
    if (explained.outcome !== 'LANDED') return explained;
    const { attempt } = explained.attempt;
    const all = rows.filter(({ possible }) => possible.attempt === attempt).map(({ row }) => row);
    const row = all.find((each) => nameOf(each) === nameOf(explained.attempt));
    if (!row) return { outcome: 'UNDECIDED', possible: explained.possible, isSuccess: false };
    landedWith.set(row, all);
    return { outcome: 'LANDED', attempt: toSuccess(row), possible: explained.possible };
  }

  private chainOf({ lineageKey, namedChain }: Row): string | null | undefined {
    return lineageKey === null ? namedChain : this.parts.chainOf.get(lineageKey);
  }

  private applyRows(
    step: Step,
    cell: Cell,
    { successes, landed }: Outcome,
    { taken, landedWith }: { taken: Set<string>; landedWith: ReadonlyMap<Row, readonly Row[]> },
  ): void {
    for (const { attempt, lineageKey, evidence, carried } of successes) {
      this.change(attempt.row, step, { lineageKey, evidence: evidenceCodeOf(evidence), ...carried });
    }
    const before = new Set(cell.landed);
    for (const { attempt, lineageKey, carried } of landed) {
      const { daHeight } = cell;
      for (const row of landedWith.get(attempt.row) ?? [attempt.row]) {
        row.shownAt ??= shownAtOf(step, cell, lineageKey, 'HEADER');
        this.change(row, step, { lineageKey, daHeight, evidence: evidenceCodeOf('CONFIRMED'), ...carried });
        taken.add(nameOf(row));
        before.delete(row);
        cell.landed.add(row);
      }
    }
    for (const row of before) {
      cell.landed.delete(row);
      if (row.daHeight !== cell.daHeight) continue;
      row.shownAt = null;
      const nothing = { daHeight: null, lineageKey: row.toldLineageKey, ...NOTHING_CARRIED };
      this.change(row, step, { ...nothing, evidence: evidenceCodeOf('OBSERVED') });
    }
  }

  private change(row: Row, { position }: Step, decided: Parameters<typeof decide>[2]): void {
    const { lineageKey } = row;
    if (!decide(row, position, decided)) return;
    this.decided.rows.add(row);
    if (row.lineageKey !== lineageKey) this.decided.moved.push({ row, lineageKey });
  }

  private async applyGroups(step: Step, cell: Cell, { groups }: Outcome): Promise<void> {
    const left = new Map(cell.groups);
    for (const group of groups) {
      const { explanation } = group;
      if (explanation.outcome === 'UNDECIDED' && explanation.isSuccess) continue;
      const name = groupName(group.lineageKey, group.kind);
      const now = this.toStanding(step, cell, group);
      const standing = left.get(name);
      left.delete(name);
      if (standing && isSameGroup(standing, now)) continue;
      if (standing) await this.end(standing, step);
      cell.groups.set(name, now);
      this.decided.groups.add(now);
      await this.count(now, 1n, step);
    }
    for (const [name, standing] of left) {
      cell.groups.delete(name);
      await this.end(standing, step);
    }
  }

  private async end(group: StandingGroup, step: Step): Promise<void> {
    this.decided.groups.end(group, step.position);
    await this.count(group, -1n, step);
  }

  private async count({ lossPosition }: StandingGroup, by: bigint, { position }: Step): Promise<void> {
    if (lossPosition !== null) await this.parts.losses.count(lossPosition, by, position, this.query);
  }

  private toStanding(
    step: Step,
    cell: Cell,
    { lineageKey, kind, left, carried, explanation }: Outcome['groups'][number],
  ): StandingGroup {
    let newestNs: Nanos = 0n;
    for (const { timeNs } of left.blobs) if (timeNs > newestNs) newestNs = timeNs;
    const isUndecided = explanation.outcome === 'UNDECIDED';
    const shownAt = shownAtOf(step, cell, lineageKey, kind);
    return {
      lineageKey,
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
      lossPosition: isUndecided ? null : this.holderOf(step, kind, cell.daHeight, shownAt),
      possible: isUndecided ? explanation.possible : null,
      isStored: false,
    };
  }

  /** The only hole, of all lists of the chain, that can have held it by DA heights; null where several can, or none. */
  private holderOf(step: Step, kind: BlobKind, daHeight: bigint, shownAt: Micros): bigint | null {
    const { chain, position, seenAt } = step;
    let holder: bigint | null = null;
    let isSure = false;
    for (const bracket of this.parts.possible.bracketsOf({ chain, kind, daHeight })) {
      const { from, to, hasHole } = bracketAt(bracket, position);
      if (!hasHole || (from !== null && daHeight < from) || (to !== null && daHeight > to)) continue;
      const hasOther = bracket.otherLossPosition !== null && bracket.otherLossPosition <= position;
      if (holder !== null || hasOther) return null;
      holder = bracket.lossPosition;
      // The list may have rows behind the hole that are not shown yet.
      isSure = to !== null || (seenAt.get(bracket.nodeKey) ?? 0n) > shownAt;
    }
    return isSure ? holder : null;
  }
}

function decideAt(step: Step, cell: Cell, explain: Explain): Outcome {
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
    histories.push({ lineageKey, blobs, stands: { HEADER: stand('HEADER'), DATA: stand('DATA') } });
  }
  return decideCell(histories, rows.map(toSuccess), explain);
}

function toSuccess(row: Row): Success {
  return { ...toAttempt(row), row, toldLineage: row.toldLineageKey };
}

/** When a walk had passed a group, observer's clock. */
function shownAtOf(step: Step, cell: Cell, lineageKey: number, kind: BlobKind): Micros {
  const standing = cell.groups.get(groupName(lineageKey, kind));
  if (standing) return standing.observedAt;
  for (const row of cell.landed) {
    if (row.lineageKey === lineageKey && row.shownAt !== null && row.daHeight === cell.daHeight)
      return row.shownAt;
  }
  const stair = step.passed.find(
    (each) =>
      each.lineageKey === lineageKey &&
      each.kind === kind &&
      each.from <= cell.daHeight &&
      cell.daHeight < each.below,
  );
  return stair?.at ?? step.at;
}
