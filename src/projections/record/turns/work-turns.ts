import { compareIntegers, entryOf } from '../../../domain/collections.js';
import type { Query } from '../../projection.js';
import type { DecodedEvent, RecordEvent } from '../facts/decode.js';
import { toChainId } from '../facts/chains.js';
import { RecordReader } from '../facts/reader.js';
import { lineageOf, nodesOf, type RecordMemory } from '../memory.js';
import { Cells } from '../decisions/cell.js';
import { askGroups, decideSteps, type ToDecide } from '../decisions/decide-steps.js';
import { PossibleRows } from '../decisions/possible-rows.js';
import { Rows } from '../decisions/row.js';
import type { Step } from '../decisions/step.js';
import { StepBook } from '../decisions/steps.js';
import { LossBook } from '../facts/losses.js';
import { countNew } from './attempts.js';
import { findHeights } from './find-heights.js';
import { loadCells } from './load-cells.js';
import { loadPossible } from './load-possible.js';
import { MarkBook } from './marks.js';
import { tellRows } from './node-rows.js';
import type { Turn } from './turns.js';
import { writeBatch, writeOutcome, type Outcome } from './write-turn.js';

/** How much is done at once. */
export interface Limits {
  /** Rows or DA heights of a turn at most. */
  readonly pageSize: number;
  /** Beyond so many DA heights of a chain all of them are left to turns. */
  readonly mostAtOnce: number;
}

/**
 * Reads events, decides what is not left to turns, and writes both.
 *
 * @returns how many of them. An event that may change what earlier rows are waits until these are written, and until nothing is left to
 * turns; so do those after it. 0: the first of them waits.
 */
export async function decideBatch(
  events: readonly DecodedEvent[],
  memory: RecordMemory,
  marks: MarkBook,
  { pageSize, mostAtOnce }: Limits,
  query: Query,
): Promise<number> {
  const reader = new RecordReader(memory);
  const work = new Work(memory, query);
  const { book } = work;
  let count = 0;
  for (const decoded of events) {
    if (mayTell(decoded.event, memory)) {
      // What is left is of earlier events: rows are as they were then.
      if (count > 0 || !memory.turns.isEmpty) break;
    }
    count += 1;
    const facts = reader.read(decoded);
    if (!facts) continue;
    if (facts.told) await tellRows(facts, facts.told, { memory, book, marks }, pageSize, query);
    book.take(facts, await memory.walks.apply(facts, query));
  }
  if (count === 0) return 0;
  await countNew(reader.submissions, memory, query);
  await memory.brackets.write(query);
  const outcome = await work.decide(book.steps, mostAtOnce);
  await writeBatch({ reader, book }, outcome, marks, query);
  return count;
}

/** Whether an event may change what rows of its node are that were told before it: their kind, their history, their chain. */
function mayTell(event: RecordEvent, memory: RecordMemory): boolean {
  const node = memory.nodes.find(event.stream);
  if (!node) return false;
  if (node.submissionCount === 0n && memory.brackets.openHoleOf(node.nodeKey) === undefined) return false;
  switch (event.type) {
    case 'NodeRegistered':
    case 'NodeSettingsChanged':
    case 'NodeRetired':
    case 'NodeDescribed':
      return true;
    case 'BlocksObserved': {
      const { lineage, chain } = event.body;
      const shown = memory.lineages.find(toChainId(chain), lineage);
      return shown === undefined || shown !== lineageOf(node, memory);
    }
    default:
      return false;
  }
}

/** Does a turn of what is left. @returns the event that left it; undefined: nothing is left */
export async function workTurn(
  memory: RecordMemory,
  most: number,
  query: Query,
): Promise<bigint | undefined> {
  const turn = await memory.turns.findNext(query);
  if (!turn) return undefined;
  const outcome = await new Work(memory, query).goOn(turn, most);
  const marks = new MarkBook();
  await writeOutcome(outcome, marks, query);
  await marks.write(query);
  return turn.position;
}

/** Leaves the next DA height of a turn as it is. @returns as {@link workTurn} */
export async function skipInTurn(memory: RecordMemory, query: Query): Promise<bigint | undefined> {
  const turn = await memory.turns.findNext(query);
  if (!turn) return undefined;
  const [next] = await new Work(memory, query).heightsLeft(turn, 1);
  if (next === undefined) await memory.turns.end(turn, query);
  else await memory.turns.goOn(turn, next + 1n, 1, query);
  return turn.position;
}

/** A batch or a turn, with the rows and DA heights that it holds in memory. */
class Work {
  readonly book: StepBook;
  private readonly rows = new Rows();
  private readonly cells = new Cells();
  private readonly losses = new LossBook();

  constructor(
    private readonly memory: RecordMemory,
    private readonly query: Query,
  ) {
    const { rows, cells, losses } = this;
    this.book = new StepBook(memory, { rows, cells, losses });
  }

  /** Decides steps, but for those of chains that have too much to decide, or of which something is left. */
  async decide(steps: readonly Step[], most: number): Promise<Outcome> {
    const { turns } = this.memory;
    const now = steps.filter(({ chain }) => !turns.has(chain));
    const heights = await this.heightsOf(now, 0n, most);
    const ofChains = new Map<string, Set<bigint>>();
    now.forEach(({ chain }, n) => {
      const all = entryOf(ofChains, chain, () => new Set());
      for (const daHeight of heights[n] ?? []) all.add(daHeight);
    });
    const isLeft = ({ chain }: Step) => turns.has(chain) || (ofChains.get(chain)?.size ?? 0) > most;
    const left = steps.filter(isLeft);
    const all = now.map((step, n) => ({ step, heights: heights[n] ?? new Set() }));
    const outcome = await this.decideAt(all.filter(({ step }) => !isLeft(step)));
    for (const step of left) turns.leave(step);
    return outcome;
  }

  async goOn(turn: Turn, most: number): Promise<Outcome> {
    const left = await this.heightsLeft(turn, most);
    const now = left.slice(0, most);
    const outcome = await this.decideAt([{ step: turn.step, heights: new Set(now) }]);
    const { turns } = this.memory;
    if (left.length <= most) await turns.end(turn, this.query);
    else await turns.goOn(turn, (now.at(-1) ?? 0n) + 1n, now.length, this.query);
    return outcome;
  }

  /** The DA heights of a turn in order; if there are more than `most`, at least so many and one. */
  async heightsLeft({ step, nextDaHeight: from }: Turn, most: number): Promise<bigint[]> {
    const [all = []] = await this.heightsOf([step], from, most);
    return [...all].filter((daHeight) => daHeight >= from).sort(compareIntegers);
  }

  /** Loads what decisions look at, and decides. */
  private async decideAt(toDecide: readonly ToDecide[]): Promise<Outcome> {
    const { memory, cells, rows, losses, query } = this;
    const wanted = toDecide.flatMap(({ step, heights }) =>
      [...heights].map((daHeight) => cells.get(step.chain, daHeight)),
    );
    // What a turn decides is of an earlier event: since then nodes may have shown blocks.
    const hasUnplaced = (chain: string) => memory.turns.has(chain) || mayHaveUnplaced(chain, memory);
    await loadCells(new Set(wanted), { ...memory, cells, rows, hasUnplaced }, query);
    const asked = askGroups(toDecide, cells);
    const possible = new PossibleRows(rows);
    await loadPossible(asked.groups, { possible, rows, nodesOf: (chain) => nodesOf(chain, memory) }, query);
    const changes = decideSteps(toDecide, asked, { cells, possible, losses });
    // These are about to be stored.
    for (const { chain, daHeight } of cells.all()) memory.highest.raise(chain, daHeight);
    return { memory, losses, changes };
  }

  private heightsOf(steps: readonly Step[], from: bigint, most: number) {
    const { lineagesOf } = this.memory;
    return findHeights(steps, { lineagesOf, cells: this.cells }, { from, most }, this.query);
  }
}

/** Whether some rows of a chain may be of no history: a node that names it has shown no blocks of it. */
function mayHaveUnplaced(chain: string, { names, nodes, chainOf }: RecordMemory): boolean {
  return [...names.nodesOf(chain)].some((nodeKey) => {
    const { lineageKey } = nodes.get(nodeKey);
    return lineageKey === null || chainOf.get(lineageKey) !== chain;
  });
}
