import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import { findForkPoint, type ForkPoint, type HashAt, type RecordedFork } from './fork-point.js';
import { StreamSession } from '../stream-session.js';

interface Opening {
  readonly n: number;
  readonly node: string;
  readonly height: string;
  readonly hash: string | null;
}

/** The state of a stream `<chain>/chain`, as far as it concerns lineages. */
interface ChainState {
  readonly lineages?: readonly Opening[];
}

/** Where a node leaves its known lineage, or begins. */
export interface Departure {
  /** The first height to record. */
  readonly from: bigint;
  /** A block that the lineages in `notThese` provably do not have; at first contact it is simply the first block. */
  readonly height: bigint;
  readonly hash: string | null;
  readonly notThese: readonly number[];
}

/** The lineage that a node shows from a height on, and the lineage below that height if it is another. */
export interface JoinedLineage {
  readonly lineage: number;
  readonly from: bigint;
  readonly below: number | null;
}

/** Several processes may open lineages of one chain at once: the loser starts again from what the winner opened. */
const TRIES = 10;

/** Decides which lineage of its chain a node shows, and opens a new one if the node provably differs from all of them. */
export class ChainLineages {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly board: ChainBoard,
    private readonly node: string,
  ) {}

  /**
   * Joins the lineage that shares a block with the node, or the first one if nothing can be compared. Opens the next
   * lineage if the node differs from all.
   */
  async join(chain: string, departure: Departure, hashAt: HashAt): Promise<JoinedLineage> {
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
   * Where the node differs from others that show its lineage; null where it agrees with them. When two nodes disagree, the
   * node that opened the lineage stays in it, else the node whose id comes first. For the node that stays this returns
   * null.
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
  ): Promise<JoinedLineage | Departure> {
    const isFirstContact = departure.notThese.length === 0;
    const joined = (lineage: number): JoinedLineage => ({ lineage, from: departure.from, below: null });
    let opened = departure;
    let undecided: number | undefined;
    // A later lineage shares its beginning with the lineage that it left, so the latest match is the right one.
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

/** The recorded blocks of a node's present lineage. */
export interface BoardEntry extends RecordedFork {
  readonly node: string;
}

const boards = new WeakMap<EventStore, ChainBoard>();

/**
 * The present lineage of each node, for comparison within a chain: two nodes can each be in order and still not show the
 * same chain. There is one board per process and log. Nodes that other processes observe are compared only by the openings
 * in the chain's stream.
 */
export class ChainBoard {
  private readonly entries = new Map<string, BoardEntry>();

  /** The board that all observers writing to one log share. */
  static of(store: EventStore): ChainBoard {
    const board = boards.get(store) ?? new ChainBoard();
    boards.set(store, board);
    return board;
  }

  post(entry: BoardEntry): void {
    this.entries.set(entry.node, entry);
  }

  siblings(chain: string, lineage: number, node: string): BoardEntry[] {
    return [...this.entries.values()].filter(
      (entry) => entry.chain === chain && entry.lineage === lineage && entry.node !== node,
    );
  }
}
