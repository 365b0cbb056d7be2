import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import { findForkPoint, type ForkPoint, type HashAt, type RecordedChain } from './fork-point.js';
import { StreamSession } from '../stream-session.js';

interface Opening {
  readonly n: number;
  readonly node: string;
  readonly height: string;
  readonly hash: string | null;
}

/** The state of a stream `<chain>/chain`, as far as lineages go. */
interface ChainState {
  readonly lineages?: readonly Opening[];
}

/** Where a node leaves what was known, or begins. */
export interface Departure {
  /** The first height to record. */
  readonly from: bigint;
  /** A block that the lineages in `notThese` are proven not to have; at first contact just the first one. */
  readonly height: bigint;
  readonly hash: string | null;
  readonly notThese: readonly number[];
}

/** The lineage that a node shows from a height on, and the one below that height where that is another. */
export interface Joined {
  readonly lineage: number;
  readonly from: bigint;
  readonly below: number | null;
}

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
   * Joins the lineage that shares a block with the node, or the first where nothing can be compared. Where the node
   * differs from all, the next one is opened.
   */
  async join(chain: string, departure: Departure, hashAt: HashAt): Promise<Joined> {
    const session = new StreamSession<ChainState>(this.store, `${chain}/chain`);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const { state } = await session.load();
      const lineages = state?.lineages ?? [];
      const found = await this.match(chain, lineages, departure, hashAt);
      if ('lineage' in found) return found;
      const n = lineages.length + 1;
      const { height, hash, from, notThese } = found;
      const opening = { n, node: this.node, height: String(height), hash };
      const event = { type: 'ChainLineageOpened', observedAt: this.clock.now(), body: opening } as const;
      if (await session.append([event], { ...state, lineages: [...lineages, opening] })) {
        return { lineage: n, from, below: from > departure.from ? (notThese[0] ?? null) : null };
      }
    }
    throw new Error(`${chain}/chain: other processes kept changing it`);
  }

  /**
   * Where the node differs from others that show its lineage; null where it agrees with them. Of two that disagree
   * the one that opened the lineage stays in it, else the one whose id comes first: for them this gives null.
   */
  async compareWithSiblings(chain: string, lineage: number, hashAt: HashAt): Promise<ForkPoint | null> {
    const siblings = this.board.siblings(chain, lineage, this.node);
    if (siblings.length === 0) return null;
    const { state } = await new StreamSession<ChainState>(this.store, `${chain}/chain`).load();
    const opener = state?.lineages?.find(({ n }) => n === lineage)?.node;
    if (opener === this.node) return null;
    for (const sibling of siblings) {
      if (sibling.node !== opener && sibling.node > this.node) continue;
      const fork = await findForkPoint(sibling, this.store, hashAt);
      if (fork) return fork;
    }
    return null;
  }

  private async match(
    chain: string,
    lineages: readonly Opening[],
    departure: Departure,
    hashAt: HashAt,
  ): Promise<Joined | Departure> {
    const isFirstContact = departure.notThese.length === 0;
    const joined = (lineage: number): Joined => ({ lineage, from: departure.from, below: null });
    let opened = departure;
    let undecided: number | undefined;
    // A later lineage shares its beginning with the one that it left, so the latest that fits is the right one.
    for (const opening of [...lineages].reverse()) {
      if (departure.notThese.includes(opening.n)) continue;
      const result = await this.compare(chain, opening, hashAt);
      if (result === 'EQUAL') return joined(opening.n);
      if (result === 'UNKNOWN') undecided = opening.n;
      else if (result !== 'DIFFERENT' && isFirstContact) opened = { ...result, notThese: [opening.n] };
    }
    return isFirstContact && undecided !== undefined ? joined(undecided) : opened;
  }

  private async compare(
    chain: string,
    { n, height, hash }: Opening,
    hashAt: HashAt,
  ): Promise<'EQUAL' | 'UNKNOWN' | 'DIFFERENT' | ForkPoint> {
    const shown = hash === null ? undefined : await hashAt(BigInt(height));
    if (shown !== undefined && shown !== hash) return 'DIFFERENT';
    let isShared = shown !== undefined;
    for (const sibling of this.board.siblings(chain, n, this.node)) {
      const fork = await findForkPoint(sibling, this.store, hashAt);
      if (fork) return fork;
      if (fork === null) isShared = true;
    }
    return isShared ? 'EQUAL' : 'UNKNOWN';
  }
}

/** What is recorded of a node's present lineage. */
export interface BoardEntry extends RecordedChain {
  readonly node: string;
}

const boards = new WeakMap<EventStore, ChainBoard>();

/**
 * What each node of a chain shows, for comparison among them: two nodes can each be in order and still not show the
 * same chain. One board per process and log; nodes that other processes observe are compared with by the openings in
 * the chain's stream only.
 */
export class ChainBoard {
  private readonly entries = new Map<string, BoardEntry>();

  /** The board that all observers writing to one log share. */
  static of(store: EventStore): ChainBoard {
    const board = boards.get(store) ?? new ChainBoard();
    boards.set(store, board);
    return board;
  }

  /** Says what a node shows now. */
  post(entry: BoardEntry): void {
    this.entries.set(entry.node, entry);
  }

  /** The other nodes that show this lineage. */
  siblings(chain: string, lineage: number, node: string): BoardEntry[] {
    return [...this.entries.values()].filter(
      (entry) => entry.chain === chain && entry.lineage === lineage && entry.node !== node,
    );
  }
}
