import { compareIntegers, entryOf } from '../../../domain/collections.js';
import type { Query } from '../../projection.js';
import { Cells } from '../decisions/cell.js';
import {
  askGroups,
  decideSteps,
  placeSteps,
  type PlacedStep,
  type ToDecide,
} from '../decisions/decide-steps.js';
import { PossibleRows } from '../decisions/possible-rows.js';
import { Rows } from '../decisions/row.js';
import type { Step } from '../decisions/step.js';
import { LossBook } from '../facts/losses.js';
import { nodesOf, type RecordMemory } from '../memory.js';
import { findAmong, findHeights } from './find-heights.js';
import { loadCells } from './load-cells.js';
import { loadPossible } from './load-possible.js';
import { MarkBook } from './marks.js';
import { writeGroups, writeRows } from './stored-rows.js';

/** A batch or a time slice, with its rows and DA heights in memory. It writes what it decides. */
export class Work {
  readonly held = { rows: new Rows(), cells: new Cells(), losses: new LossBook() };

  constructor(
    private readonly memory: RecordMemory,
    private readonly marks: MarkBook,
    private readonly query: Query,
  ) {}

  /** Decides steps, except those of chains that have too much to decide or have deferred tasks. */
  async decide(steps: readonly Step[], most: number): Promise<void> {
    const { deferred, lineagesOf } = this.memory;
    const open = steps.filter(({ chain }) => !deferred.has(chain));
    const found = await findHeights(open, lineagesOf, { from: 0n, most }, this.query);
    const all = open.map((step, n) => ({ step, heights: found[n] ?? new Set<bigint>() }));
    const ofChains = new Map<string, Set<bigint>>();
    for (const { step, heights } of all) {
      const known = entryOf(ofChains, step.chain, () => new Set());
      for (const daHeight of heights) known.add(daHeight);
    }
    const isLeft = ({ chain }: Step) => deferred.has(chain) || (ofChains.get(chain)?.size ?? 0) > most;
    for (const step of steps) if (isLeft(step)) deferred.leave(step);
    const now = all.filter(({ step }) => !isLeft(step));
    const { steps: loaded, possible } = await this.load(now);
    await this.decideLoaded(loaded, possible);
  }

  /**
   * Decides a step at some of its DA heights, none of which is above the heights left for later time slices.
   * @returns higher DA heights that a row has left for a group further down; they must be decided later
   */
  async decidePart(step: Step, heights: ReadonlySet<bigint>): Promise<Set<bigint>> {
    const { steps, possible } = await this.load([{ step, heights }]);
    const top = [...heights].reduce((highest, each) => (each > highest ? each : highest), 0n);
    const above = possible.landedAbove(top).map((row) => ({ row, landedAt: row.daHeight ?? 0n }));
    const landedAt = new Set(above.map((each) => each.landedAt));
    const later = await findAmong(landedAt, step, this.memory.lineagesOf, this.query);
    await this.decideLoaded(
      steps.map((each) => ({ ...each, later })),
      possible,
    );
    const vacated = above.filter((each) => each.row.daHeight !== each.landedAt);
    return new Set(vacated.map((each) => each.landedAt));
  }

  private async load(
    toDecide: readonly ToDecide[],
  ): Promise<{ steps: PlacedStep[]; possible: PossibleRows }> {
    const { memory, query, held } = this;
    const { cells, rows } = held;
    const wanted = toDecide.flatMap(({ step, heights }) =>
      [...heights].map((daHeight) => cells.get(step.chain, daHeight)),
    );
    await loadCells(new Set(wanted), { ...memory, cells, rows }, query);
    const steps = placeSteps(toDecide, cells);
    const possible = new PossibleRows(rows);
    await loadPossible(
      askGroups(steps),
      { possible, rows, nodesOf: (chain) => nodesOf(chain, memory) },
      query,
    );
    return { steps, possible };
  }

  /** Decides, and writes the changes of stored rows, groups and losses. */
  private async decideLoaded(steps: readonly PlacedStep[], possible: PossibleRows): Promise<void> {
    const { memory, marks, query, held } = this;
    const { cells, rows, losses } = held;
    const changes = decideSteps(steps, { cells, possible, losses });
    // Rows of these cells are about to be stored.
    for (const { chain, daHeight } of cells.all()) memory.highest.raise(chain, daHeight);
    await writeRows(changes.rows, marks, query);
    await writeGroups(changes.groups, marks, query);
    await losses.write(query, (bracket) => rows.addedTo(bracket));
  }
}

/**
 * Processes one time slice of the deferred tasks.
 * @param most the most DA heights
 * @param isLeftOut skips the DA heights without a decision: they stay as they are
 * @returns position of the event that left the task; undefined if there is none
 */
export async function runDeferredTasks(
  memory: RecordMemory,
  most: number,
  query: Query,
  isLeftOut = false,
): Promise<bigint | undefined> {
  const { deferred, lineagesOf } = memory;
  const task = await deferred.findNext(query);
  if (!task) return undefined;
  const { step, from } = task;
  const [all = new Set<bigint>()] = await findHeights([step], lineagesOf, { from, most }, query);
  const left = [...all].filter((daHeight) => daHeight >= from).sort(compareIntegers);
  const heights = new Set(left.slice(0, most));
  const marks = new MarkBook();
  const vacated = isLeftOut
    ? new Set<bigint>()
    : await new Work(memory, marks, query).decidePart(step, heights);
  await marks.write(query);
  await deferred.goOn(task, nextOf(left[most], vacated), heights.size, vacated, query);
  return step.position;
}

function nextOf(left: bigint | undefined, vacated: ReadonlySet<bigint>): bigint | undefined {
  let next = left;
  for (const daHeight of vacated) if (next === undefined || daHeight < next) next = daHeight;
  return next;
}
