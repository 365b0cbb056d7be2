import { entryOf } from '../../../domain/collections.js';
import type { IncludedBlobs } from '../../../domain/evidence/blob-segments.js';
import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import { evidenceCodeOf, kindCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { ShownBlob } from '../facts/walks.js';
import type { Row } from './row.js';
import type { SubmissionEntity } from '../../../tables/record.entities.js';

const CONFIRMED = evidenceCodeOf('CONFIRMED');

export const KIND_CODES: Readonly<Record<BlobKind, number>> = {
  HEADER: kindCodeOf('HEADER'),
  DATA: kindCodeOf('DATA'),
};

const COMPARED = [
  'evidence',
  'blobCount',
  'sizeBytes',
  'blockFrom',
  'blockTo',
  'shares',
  'signedShares',
  'timeAt',
  'lossPosition',
  'possible',
] as const satisfies readonly (keyof SubmissionEntity)[];

/** A group of blobs that no row provably carried, as a row of `submission`. `observedAt` is when blocks had shown them. */
export interface UnexplainedGroup extends Pick<
  SubmissionEntity,
  (typeof COMPARED)[number] | 'chainId' | 'kind' | 'observedAt' | 'namespaceKey' | 'fromPosition'
> {
  readonly lineageKey: number;
  readonly daHeight: bigint;
  toPosition?: bigint;
  readonly isStored: boolean;
}

type ShownBlobs = Readonly<Record<BlobKind, Map<bigint, ShownBlob>>>;
const newBlobs = (): ShownBlobs => ({ HEADER: new Map(), DATA: new Map() });

/** Everything known about one DA height of a chain. */
export class Cell {
  /** Successes that report this DA height. */
  readonly successes = new Set<Row>();
  /** Failures that were found to have landed here; some may since have been found to have landed elsewhere. */
  readonly landed = new Set<Row>();
  /** Successes that report this DA height in a list without a chain. */
  private readonly chainless = new Set<Row>();
  readonly groups = new Map<string, UnexplainedGroup>();
  /** Keyed by lineage. */
  readonly blobs = new Map<number, ShownBlobs>();

  constructor(
    readonly chain: string,
    readonly daHeight: bigint,
  ) {}

  addBlob(lineageKey: number, kind: BlobKind, blob: ShownBlob): void {
    const blobs = entryOf(this.blobs, lineageKey, newBlobs)[kind];
    const known = blobs.get(blob.height);
    if (!known || blob.position < known.position) blobs.set(blob.height, blob);
  }

  /** The blobs that a lineage shows here, by ascending block height. @param position of the last event that counts */
  blobsOf(lineageKey: number, position: bigint): IncludedBlobs {
    const shown = this.blobs.get(lineageKey);
    const of = (kind: BlobKind) => {
      const blobs = [...(shown?.[kind].values() ?? [])];
      return blobs.filter((blob) => blob.position <= position).sort((a, b) => (a.height < b.height ? -1 : 1));
    };
    return { HEADER: of('HEADER'), DATA: of('DATA') };
  }

  /** The successes in lists without a chain that may be a group here, as of an event. */
  chainlessAt(position: bigint): Row[] {
    return [...this.chainless].filter((row) => row.blobCount !== 0 && row.fromPosition <= position);
  }

  addRow(row: Row): void {
    if (row.chainId === null) this.chainless.add(row);
    else if (row.status === 0) this.successes.add(row);
    else if (row.evidence === CONFIRMED) this.landed.add(row);
  }
}

export function groupName(lineageKey: number, kind: BlobKind): string {
  return `${lineageKey}/${kind}`;
}

type ListPosition = Pick<Row, 'nodeKey' | 'sequence'>;

/** Compare rows within one list only: two lists that return the same rows alternately would claim each other's blobs. */
export function byList(a: ListPosition, b: ListPosition): number {
  if (a.nodeKey !== b.nodeKey) return a.nodeKey - b.nodeKey;
  return a.sequence < b.sequence ? -1 : 1;
}

/** The cells of a batch or a time slice. */
export class Cells {
  private readonly cells = new Map<string, Map<bigint, Cell>>();

  get(chain: string, daHeight: bigint): Cell {
    const ofChain = entryOf(this.cells, chain, () => new Map<bigint, Cell>());
    return entryOf(ofChain, daHeight, () => new Cell(chain, daHeight));
  }

  *all(): IterableIterator<Cell> {
    for (const ofChain of this.cells.values()) yield* ofChain.values();
  }
}

/** The versions of groups that a time slice creates and ends. */
export class GroupVersions {
  readonly ended = new Set<UnexplainedGroup>();
  readonly added = new Set<UnexplainedGroup>();

  add(group: UnexplainedGroup): void {
    this.added.add(group);
  }

  /** Ends a group that no longer exists or was replaced. */
  end(group: UnexplainedGroup, position: bigint): void {
    group.toPosition = position;
    if (group.isStored) this.ended.add(group);
    // A version created and ended by the same event was never known.
    else if (group.fromPosition === position) this.added.delete(group);
  }
}

/** Whether a new decision equals the present one. */
export function isSameGroup(standing: UnexplainedGroup, decided: UnexplainedGroup): boolean {
  return COMPARED.every((name) => standing[name] === decided[name]);
}
