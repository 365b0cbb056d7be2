import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import type { Micros } from '../../domain/time.js';
import type { Query } from '../projection.js';
import type { Attempt } from './record-attempt.js';
import type { Unexplained } from './record-cell-fit.js';
import type { CellTable } from './record-cell-table.js';
import type { Cell, Reconstructed } from './record-cells.js';
import type { ChainNames } from './record-chain-names.js';
import type { ChainViews } from './record-chains.js';
import type { LineageBook } from './record-lineages.js';
import type { LossBook } from './record-losses.js';
import type { MarkBook } from './record-marks.js';
import type { NodeNamespaces } from './record-node-namespaces.js';
import type { NodeBook } from './record-nodes.js';
import type { PageMarks } from './record-page-marks.js';
import type { RunBook } from './record-runs.js';
import type { SubmissionRecord } from './record-submissions.js';
import type { Renames } from './record-renames.js';
import type { WalkBook } from './record-walks.js';

/** What evidence is computed from, and kept between batches. */
export interface EvidenceParts {
  readonly walks: WalkBook;
  readonly views: ChainViews;
  /** Chain of each lineage. */
  readonly chainOf: ReadonlyMap<number, string>;
  readonly lineagesOf: ReadonlyMap<string, readonly number[]>;
  /** The highest DA height that a block of the lineage points to. */
  readonly maxDa: Map<number, bigint>;
  /** By lineage the time before which all that waited for looks has been decided: what lists of its chain told last. */
  readonly decidedThrough: Map<number, bigint>;
  /** By node how many of its losses no success has followed yet. */
  readonly openLosses: Map<number, number>;
  /** Keys of the namespaces that a node told. */
  readonly told: Map<number, { readonly HEADER: number | null; readonly DATA: number | null }>;
}

/** What an instance remembers of its tables between batches. */
export interface RecordMemory extends EvidenceParts {
  readonly nodes: NodeBook;
  readonly lineages: LineageBook;
  readonly names: ChainNames;
  readonly runs: RunBook;
  readonly namespaces: NodeNamespaces;
}

/** What the evidence of one batch changes in the tables. */
export interface EvidenceChanges {
  /** Attempts whose row changed, or whose evidence was replaced. */
  readonly attempts: Set<Attempt>;
  readonly rebuilt: Set<Reconstructed>;
}

/** Blobs of one kind at a DA height that no attempt explains, although all lists have been looked at. */
export interface Missing extends Unexplained {
  readonly cell: Cell;
  readonly kind: BlobKind;
  /** When a block was last seen to point there, observer's clock. */
  readonly shownAt: Micros;
}

/** The evidence of a batch, for those who decide a part of it. */
export interface EvidenceBatch {
  readonly parts: EvidenceParts;
  readonly losses: LossBook;
  readonly cells: CellTable;
  /** Successes of lineages not known yet, by node, as they stood before the batch. */
  readonly orphans: Map<number, Attempt[]>;
  readonly query: Query;
  /** Where what is not named is left for later; undefined: it is done at once. */
  readonly pages?: PageMarks | undefined;
  readonly renames: Renames;
  readonly changes: EvidenceChanges;
  /** Rows of this batch up to the event that is being applied, by node, in their order. */
  readonly recordedByNode: ReadonlyMap<number, readonly SubmissionRecord[]>;
  readonly marks: MarkBook;
  /** Cells that a node's block was first seen to point to in this batch. */
  readonly pointedTo: ReadonlySet<Cell>;
  /** Stored failed attempts that were looked at in this batch, by node and sequence. */
  readonly named: ReadonlyMap<string, Attempt>;
  /** The one object that stands for a stored attempt in this batch. */
  identify(attempt: Attempt): Attempt;
  /** Tells the table which failed attempts may carry something else from now on, before it is asked for some. */
  writeReleased(): Promise<void>;
  /** DA height of the first success that this batch recorded of a node; null for none. */
  firstSuccessOf(nodeKey: number): bigint | null;
  addAttempt(attempt: Attempt, lineageKey: number, daHeight: bigint): Cell;
  /** Whether its history will show nothing any more that an attempt of a cell can have carried. */
  isPassed(cell: Cell, attempt: Attempt): boolean;
  /** Compares attempts and blobs of a cell, and notes what changed. */
  evaluate(cell: Cell, position: bigint, at: Micros): void;
  /** Ends what was reconstructed of a kind at a cell, where anything was. */
  withdraw(cell: Cell, kind: BlobKind, position: bigint): void;
  /** What nothing explains at a cell, of the kinds of which all blocks are known. */
  missingOf(cell: Cell): Missing[];
  /** What was reconstructed at a cell, and still is. */
  standingOf(cell: Cell): Missing[];
}
