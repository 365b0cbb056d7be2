import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import type { BracketBook } from './decisions/brackets.js';
import type { FrontierBook } from './decisions/frontiers.js';
import type { SettledCells } from './decisions/settled-cells.js';
import type { TurnBook } from './decisions/turns.js';
import type { ChainNames } from './facts/chain-names.js';
import type { ChainViews } from './facts/chain-views.js';
import type { LineageBook } from './facts/lineages.js';
import type { NodeNamespaces } from './facts/node-namespaces.js';
import type { NodeBook } from './facts/nodes.js';
import type { RunBook } from './facts/runs.js';
import type { WalkBook } from './facts/walks.js';

/** What an instance remembers of its tables between batches. */
export interface RecordMemory {
  readonly nodes: NodeBook;
  readonly lineages: LineageBook;
  readonly names: ChainNames;
  readonly runs: RunBook;
  readonly namespaces: NodeNamespaces;
  readonly walks: WalkBook;
  readonly views: ChainViews;
  readonly brackets: BracketBook;
  readonly frontiers: FrontierBook;
  readonly settled: SettledCells;
  readonly turns: TurnBook;
  /** Chain of each lineage. */
  readonly chainOf: ReadonlyMap<number, string>;
  readonly lineagesOf: ReadonlyMap<string, readonly number[]>;
  /** The highest DA height of a stored row, by node. */
  readonly maxRowDa: Map<number, bigint>;
  /** The highest DA height that a block of the lineage points to. */
  readonly maxDa: Map<number, bigint>;
  /** Keys of the namespaces that a node told. */
  readonly told: Map<number, Readonly<Record<BlobKind, number | null>>>;
}
