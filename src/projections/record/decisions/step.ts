import type { BlobKind, StandingWalk } from '../../../domain/evidence/inclusion-walk.js';
import type { Micros } from '../../../domain/time.js';
import type { Origin } from '../facts/facts.js';
import type { Passed } from '../facts/frontiers.js';

/** Above all DA heights. */
export const NO_END = 2n ** 63n - 1n;

/** A walk of a node through a history. */
export interface NodeWalk extends StandingWalk {
  readonly nodeKey: number;
}

/** An event's decisions about one chain, with the state of that moment which no table keeps. */
export interface Step extends Origin {
  readonly chain: string;
  /** DA heights at which something was told. */
  readonly cells: Set<bigint>;
  readonly passed: Passed[];
  /** Holes next to which the event recorded rows that may have landed. */
  readonly holes: Set<bigint>;
  /** Groups from this DA height on are asked again; undefined: none. */
  groupsFrom: bigint | undefined;
  /** Whether all DA heights are decided again: groups that were left to a success are not stored, and may be another's now. */
  asksAll: boolean;
  /** By history. */
  walks: ReadonlyMap<number, readonly NodeWalk[]>;
  /** By history: DA heights below are decided. */
  below: ReadonlyMap<number, Readonly<Record<BlobKind, bigint>>>;
  /** By node: the last look at its list whose rows are all known. */
  seenAt: ReadonlyMap<number, Micros>;
  /** Keys of the namespaces that nodes of the chain had told by then. */
  namespaces: Readonly<Record<BlobKind, number | null>>;
}

/** Of which nothing is told yet. */
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
