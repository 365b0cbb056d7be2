import type { BlobKind, StandingWalk } from '../../../domain/evidence/inclusion-walk.js';
import type { Micros } from '../../../domain/time.js';
import type { Origin } from '../facts/facts.js';
import type { Passed } from '../facts/frontiers.js';

export const NO_END = 2n ** 63n - 1n;

export interface NodeWalk extends StandingWalk {
  readonly nodeKey: number;
}

/**
 * The decisions about one chain that an event causes, with the state at that moment that no table keeps. A deferred task stores
 * it with the names of its properties (`turns/deferred-tasks.ts`): a renamed one is missing in tasks of the previous release.
 */
export interface Step extends Origin {
  readonly chain: string;
  /** DA heights at which the event reported something. */
  readonly cells: Set<bigint>;
  readonly passed: Passed[];
  /** Gaps next to which the event recorded rows that may have landed. */
  readonly holes: Set<bigint>;
  /** Groups from this DA height on are re-examined; undefined if no group is. */
  groupsFrom: bigint | undefined;
  /** Whether all DA heights are decided again: groups left to a success are not stored, and may now belong to another row. */
  asksAll: boolean;
  /** Keyed by lineage. */
  walks: ReadonlyMap<number, readonly NodeWalk[]>;
  /** Keyed by lineage: DA heights below this are decided. */
  below: ReadonlyMap<number, Readonly<Record<BlobKind, bigint>>>;
  /** Keyed by node: the last poll of its list whose rows are all known. */
  seenAt: ReadonlyMap<number, Micros>;
  /** Keys of the namespaces that nodes of the chain had reported by then. */
  namespaces: Readonly<Record<BlobKind, number | null>>;
}

export function newStep({ position, at, nodeKey }: Origin, chain: string): Step {
  return {
    position,
    at,
    chain,
    nodeKey,
    cells: new Set(),
    passed: [],
    holes: new Set(),
    groupsFrom: undefined,
    asksAll: false,
    walks: new Map(),
    below: new Map(),
    seenAt: new Map(),
    namespaces: { HEADER: null, DATA: null },
  };
}
