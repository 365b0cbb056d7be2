import type { BlockMark } from '../domain/block-marks.js';
import type { EventStore } from '../event-log/event-store.js';

interface Entry {
  readonly node: string;
  readonly lineage: number;
  readonly marks: readonly BlockMark[];
}

const boards = new WeakMap<EventStore, ChainBoard>();

/**
 * What each node of a chain shows, for comparison among them: two nodes can each be in order and still not show the
 * same chain. One board per process and log; observers of other processes are compared by the chain's stream only.
 */
export class ChainBoard {
  private readonly chains = new Map<string, Map<string, Entry>>();

  /** The board that all observers writing to one log share. */
  static of(store: EventStore): ChainBoard {
    const board = boards.get(store) ?? new ChainBoard();
    boards.set(store, board);
    return board;
  }

  /** Says what a node shows now. */
  post(chain: string, entry: Entry): void {
    const nodes = this.chains.get(chain) ?? new Map<string, Entry>();
    this.chains.set(chain, nodes);
    nodes.set(entry.node, entry);
  }

  /** The other nodes that show this lineage. */
  siblings(chain: string, lineage: number, node: string): Entry[] {
    return [...(this.chains.get(chain)?.values() ?? [])].filter(
      (entry) => entry.node !== node && entry.lineage === lineage,
    );
  }
}
