import { compareIntegers, entryOf } from '../../../domain/collections.js';
import type { Query } from '../../projection.js';
import type { DecodedEvent } from '../facts/decode.js';
import type { EventFacts, Origin, ToldOfRows } from '../facts/facts.js';
import { RecordReader } from '../facts/reader.js';
import { nodesOf, type RecordMemory } from '../memory.js';
import { countMoved, countNew, type MovedRow } from './attempts.js';
import { Cells } from './cells.js';
import { StepDecider } from './decide-steps.js';
import { findHeights } from './find-heights.js';
import { LossBook } from './losses.js';
import { MarkBook } from './marks.js';
import { getRowsTold, tellRow } from './node-rows.js';
import { mayHaveLanded } from '../../../domain/evidence/uncertain-attempt.js';
import { PossibleRows } from './possible-rows.js';
import { Rows, type Row } from './row.js';
import { StepBook } from './steps.js';
import type { Step } from './step.js';
import type { Turn } from './turns.js';
import { writeBatch, writeDecided } from './write-turn.js';

/** Reads a batch, decides what is not left to turns, and writes both. */
export async function decideBatch(
  events: readonly DecodedEvent[],
  memory: RecordMemory,
  marks: MarkBook,
  most: number,
  query: Query,
): Promise<void> {
  const reader = new RecordReader(memory);
  const work = new Work(memory, query);
  for (const event of events) {
    const facts = reader.read(event);
    if (!facts) continue;
    await work.tell(facts, most);
    await work.book.take(facts);
  }
  await countNew(reader.submissions, memory, query);
  await memory.brackets.write(query);
  await work.decide(work.book.steps, most);
  await writeBatch({ reader, book: work.book }, await work.result(), marks, query);
}

/** Does a turn of what is left. @returns the event that left it; undefined: nothing is left */
export async function workTurn(
  memory: RecordMemory,
  most: number,
  query: Query,
): Promise<bigint | undefined> {
  const turn = await memory.turns.findNext(query);
  if (!turn) return undefined;
  const work = new Work(memory, query);
  if (turn.what === 'CELLS') await work.goOnWithCells(turn, most);
  else await work.goOnWithRows(turn, turn.told as ToldOfRows, most);
  const marks = new MarkBook();
  await writeDecided(await work.result(), marks, query);
  await marks.write(query);
  return turn.position;
}

/** Leaves the next row, or DA height, of a turn as it is. @returns as {@link workTurn} */
export async function skipInTurn(memory: RecordMemory, query: Query): Promise<bigint | undefined> {
  const turn = await memory.turns.findNext(query);
  if (!turn) return undefined;
  const next = await new Work(memory, query).findNext(turn);
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
  private readonly told = new Set<Row>();
  private readonly moved: MovedRow[] = [];
  private readonly decider: StepDecider;

  constructor(
    private readonly memory: RecordMemory,
    private readonly query: Query,
  ) {
    const { rows, cells, losses } = this;
    this.book = new StepBook(memory, { rows, cells, losses }, query);
    const mayHoldOf = (chain: string) => [
      ...new Set([...nodesOf(chain, memory), ...memory.turns.nodesLeaving(chain)]),
    ];
    // What a turn decides is of an earlier event: since then nodes may have shown blocks.
    const hasUnplaced = (chain: string) => memory.turns.has(chain) || mayHaveUnplaced(chain, memory);
    this.decider = new StepDecider(
      {
        ...memory,
        cells,
        losses,
        possible: new PossibleRows(rows, mayHoldOf),
        loadCells: (wanted) => cells.load(wanted, { ...memory, rows }, hasUnplaced, query),
      },
      query,
    );
  }

  /** Tells rows that were recorded before what an event says of them, or leaves that to turns. */
  async tell(facts: EventFacts, most: number): Promise<void> {
    const { nodeKey, position, told } = facts;
    if (!told) return;
    const { turns } = this.memory;
    if (told.namespaces) {
      const { header, data } = told.namespaces;
      this.memory.told.set(nodeKey, { HEADER: header, DATA: data });
    }
    const chain = chainTold(told, nodeKey, this.memory);
    const leaves = told.chain?.before ?? null;
    const rows = await getRowsTold(
      told,
      { nodeKey, position, from: 0n, limit: most + 1 },
      this.rows,
      this.query,
    );
    if (rows.length > most || turns.has(chain) || (leaves !== null && turns.has(leaves))) {
      const left = leaves === null ? null : this.book.leave(facts, leaves);
      turns.leave(this.book.leave(facts, chain), nodeKey, 'ROWS', { told, left });
      if (left) turns.leave(Object.assign(this.book.leave(facts, left.chain), { groupsFrom: 0n }), nodeKey);
      return;
    }
    this.tellRows(facts, rows, told);
  }

  /** Decides steps, but for those of chains that have too much to decide, or of which something is left. */
  async decide(steps: readonly Step[], most: number): Promise<void> {
    const { turns, settled } = this.memory;
    const now = steps.filter(({ chain }) => !turns.has(chain));
    const heights = await this.heightsOf(now, 0n, most);
    const ofChains = new Map<string, Set<bigint>>();
    now.forEach(({ chain }, n) => {
      const all = entryOf(ofChains, chain, () => new Set());
      for (const daHeight of heights[n] ?? []) all.add(daHeight);
    });
    const isLeft = ({ chain }: Step) => turns.has(chain) || (ofChains.get(chain)?.size ?? 0) > most;
    const left = steps.filter(isLeft);
    const toDecide = now.flatMap((step, n) => {
      if (isLeft(step)) return [];
      const mayChange = (daHeight: bigint) => !settled.has(step.chain, daHeight);
      return [{ step, heights: new Set([...(heights[n] ?? [])].filter(mayChange)) }];
    });
    await this.decider.run(toDecide);
    for (const step of left) turns.leave(step, step.nodeKey);
  }

  async goOnWithCells(turn: Turn, most: number): Promise<void> {
    const left = await this.heightsLeft(turn, most);
    const now = left.slice(0, most);
    await this.decider.run([{ step: turn.step, heights: new Set(now) }]);
    const { turns } = this.memory;
    if (left.length <= most) return turns.end(turn, this.query);
    return turns.goOn(turn, (now.at(-1) ?? 0n) + 1n, now.length, this.query);
  }

  async goOnWithRows(turn: Turn, told: ToldOfRows, most: number): Promise<void> {
    const { nodeKey, nextNumber, position } = turn;
    const rows = await getRowsTold(
      told,
      { nodeKey, position, from: nextNumber, limit: most },
      this.rows,
      this.query,
    );
    this.tellRows(turn, rows, told);
    const steps = this.book.takeSteps(turn.left ? [turn.step, turn.left] : [turn.step]);
    await this.decider.run(steps.map((step) => ({ step, heights: step.cells })));
    const { turns } = this.memory;
    const last = rows.at(-1);
    if (last && rows.length === most) return turns.goOn(turn, last.sequence + 1n, rows.length, this.query);
    return turns.goOnWithGroups(turn, this.query);
  }

  /** The next row, or DA height, of a turn. */
  async findNext(turn: Turn): Promise<bigint | undefined> {
    if (turn.what === 'CELLS') return (await this.heightsLeft(turn, 1))[0];
    const { nodeKey, position, nextNumber: from } = turn;
    const [row] = await getRowsTold(
      turn.told as ToldOfRows,
      { nodeKey, position, from, limit: 1 },
      this.rows,
      this.query,
    );
    return row?.sequence;
  }

  async result() {
    const { decided } = this.decider;
    const { memory, losses, moved } = this;
    // These are about to be stored.
    for (const cell of this.cells.all()) memory.highest.raise(cell);
    for (const row of this.told) decided.rows.add(row);
    for (const row of await countMoved(moved, this.rows, memory, this.query)) decided.rows.add(row);
    return { memory, losses, decided, moved };
  }

  private heightsOf(steps: readonly Step[], from: bigint, most: number) {
    const { lineagesOf } = this.memory;
    return findHeights(steps, { lineagesOf, cells: this.cells }, { from, most }, this.query);
  }

  /** In order; if there are more than `most`, at least so many and one. */
  private async heightsLeft({ step, nextNumber: from }: Turn, most: number): Promise<bigint[]> {
    const [all = []] = await this.heightsOf([step], from, most);
    return [...all].filter((daHeight) => daHeight >= from).sort(compareIntegers);
  }

  private tellRows(event: Origin, rows: readonly Row[], told: ToldOfRows): void {
    const { position } = event;
    for (const row of rows) {
      const { chainId: before, daHeight } = row;
      if (!tellRow(row, told, position, this.memory)) continue;
      this.told.add(row);
      if (row.chainId !== before) {
        this.moved.push({ row, before, position });
        if (before !== null && mayHaveLanded(row)) this.book.reopen(event, before, 0n);
        if (before !== null && daHeight !== null) this.book.touch(event, before, daHeight);
      }
      this.book.touchRow(event, row);
    }
  }
}

/** The chain whose rows an event tells something of; the empty name where none is known. */
function chainTold(
  { chain, history }: ToldOfRows,
  nodeKey: number,
  { nodes, chainOf }: RecordMemory,
): string {
  if (chain) return chain.name ?? '';
  return (history === undefined ? nodes.get(nodeKey).chainId : chainOf.get(history)) ?? '';
}

/** Whether some rows of a chain may be of no history: a node that names it has shown no blocks of it. */
function mayHaveUnplaced(chain: string, { names, nodes, chainOf }: RecordMemory): boolean {
  return [...(names.nodesOf.get(chain) ?? [])].some((nodeKey) => {
    const { lineageKey } = nodes.get(nodeKey);
    return lineageKey === null || chainOf.get(lineageKey) !== chain;
  });
}
