import type { EventStore } from '../../event-log/event-store.js';
import type { RecordedChain } from './fork-point.js';

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
