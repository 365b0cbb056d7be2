import { markHash, type BlockMark } from '../domain/block-marks.js';
import type { EventStore } from '../event-log/event-store.js';
import type { Clock } from '../platform/clock.js';
import type { ChainBoard } from './chain-board.js';
import { StreamSession } from './stream-session.js';

interface Opening {
  readonly n: number;
  readonly node: string;
  readonly height: string;
  readonly hash: string | null;
}

/** The state of a stream `<chain>/chain`, as far as lineages go. */
export interface ChainState {
  readonly lineages?: readonly Opening[];
}

/** A block of the node that asks: the start of a `markHash`, or undefined where it has none (to compare). */
export type HashAt = (height: bigint) => Promise<string | undefined>;

/** Where a node leaves what was known, or begins. */
export interface Departure {
  /** The first height to record. */
  readonly from: bigint;
  /** A block that is proven to differ from every lineage that is left out; at first contact just the first one. */
  readonly height: bigint;
  readonly hash: string | null;
  /** Lineages that the node is proven not to show. */
  readonly notThese: readonly number[];
}

type Comparison =
  | { readonly kind: 'EQUAL' | 'UNKNOWN' }
  | { readonly kind: 'DIFFERENT'; readonly departure: Departure | null };

/** Processes that open lineages of one chain at once: the loser looks again at what the winner opened. */
const TRIES = 10;

/** Decides which history of its chain a node shows, and opens a new one where it is proven to differ from all. */
export class ChainLineages {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly board: ChainBoard,
    private readonly node: string,
  ) {}

  /**
   * Joins the lineage that shares a block with the node, or the first where nothing can be compared; where it
   * differs from all, the next one is opened.
   */
  async join(
    chain: string,
    departure: Departure,
    hashAt: HashAt,
  ): Promise<{ lineage: number; from: bigint }> {
    const session = new StreamSession<ChainState>(this.store, `${chain}/chain`);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const { state } = await session.load();
      const lineages = state?.lineages ?? [];
      const found = await this.match(chain, lineages, departure, hashAt);
      if ('lineage' in found) return found;
      const n = lineages.length + 1;
      const { height, hash, from, notThese } = found.departure;
      const opening = { n, node: this.node, height: String(height), hash };
      const event = { type: 'ChainLineageOpened', observedAt: this.clock.now(), body: opening } as const;
      if (await session.append([event], { ...state, lineages: [...lineages, opening] }))
        return { lineage: n, from };
    }
    throw new Error(`${chain}/chain: other processes kept changing it`);
  }

  /** Where the node differs from others that show its lineage; null where it agrees, or they are to be corrected. */
  async compareWithSiblings(chain: string, lineage: number, hashAt: HashAt): Promise<Departure | null> {
    const session = new StreamSession<ChainState>(this.store, `${chain}/chain`);
    const { state } = await session.load();
    const opener = state?.lineages?.find(({ n }) => n === lineage)?.node;
    if (opener === this.node) return null;
    const siblings = this.board.siblings(chain, lineage, this.node);
    // Of two that disagree the one that opened the lineage stays, else the one whose id comes first.
    const earlier = siblings.filter(({ node }) => node === opener || node < this.node);
    for (const { marks } of earlier) {
      const comparison = await compareMarks(marks, lineage, hashAt);
      if (comparison.kind === 'DIFFERENT') return comparison.departure;
    }
    return null;
  }

  private async match(
    chain: string,
    lineages: readonly Opening[],
    departure: Departure,
    hashAt: HashAt,
  ): Promise<Joined | { departure: Departure }> {
    const joined = (lineage: number): Joined => ({ lineage, from: departure.from, below: null });
    let proven = departure;
    let undecided: number | undefined;
    // A later lineage shares its beginning with the one that it left, so the latest that fits is the right one.
    for (const opening of [...lineages].reverse()) {
      if (departure.notThese.includes(opening.n)) continue;
      const result = await this.compare(chain, opening, hashAt);
      if (result.kind === 'EQUAL') return joined(opening.n);
      if (result.kind === 'UNKNOWN') undecided = opening.n;
      else if (result.departure && departure.notThese.length === 0) proven = result.departure;
    }
    return undecided === undefined || departure.notThese.length > 0
      ? { departure: proven }
      : joined(undecided);
  }

  private async compare(chain: string, opening: Opening, hashAt: HashAt): Promise<Comparison> {
    const isOpeningEqual = await isEqual(BigInt(opening.height), opening.hash, hashAt);
    if (isOpeningEqual === false) return { kind: 'DIFFERENT', departure: null };
    let isShared = isOpeningEqual === true;
    for (const { marks } of this.board.siblings(chain, opening.n, this.node)) {
      const comparison = await compareMarks(marks, opening.n, hashAt);
      if (comparison.kind === 'DIFFERENT') return comparison;
      if (comparison.kind === 'EQUAL') isShared = true;
    }
    return { kind: isShared ? 'EQUAL' : 'UNKNOWN', departure: null };
  }
}

/** Compares the node with marks of recorded blocks; where they differ, the departure lies at the lowest such mark. */
export async function compareMarks(
  marks: readonly BlockMark[],
  lineage: number,
  hashAt: HashAt,
): Promise<Comparison> {
  const shown = new Map<string, string | undefined>();
  const look = async ([height]: BlockMark): Promise<string | undefined> => {
    if (!shown.has(height)) shown.set(height, await hashAt(BigInt(height)));
    return shown.get(height);
  };
  let high = marks.length - 1;
  while (high >= 0 && (await look(marks[high] as BlockMark)) === undefined) high--;
  if (high < 0) return { kind: 'UNKNOWN', departure: null };
  const differs = async (index: number): Promise<boolean> => {
    const mark = marks[index] as BlockMark;
    const hash = await look(mark);
    return hash !== undefined && hash !== mark[1];
  };
  if (!(await differs(high))) return { kind: 'EQUAL', departure: null };
  let low = -1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (await differs(middle)) high = middle;
    else low = middle;
  }
  const [height] = marks[high] as BlockMark;
  const from = low >= 0 ? BigInt((marks[low] as BlockMark)[0]) + 1n : BigInt(height);
  const hash = shown.get(height) ?? null;
  return { kind: 'DIFFERENT', departure: { from, height: BigInt(height), hash, notThese: [lineage] } };
}

async function isEqual(height: bigint, hash: string | null, hashAt: HashAt): Promise<boolean | undefined> {
  if (hash === null) return undefined;
  const shown = await hashAt(height);
  return shown === undefined ? undefined : shown === markHash(hash);
}
