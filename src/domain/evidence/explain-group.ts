import type { CellAttempt } from './blob-segments.js';
import type { Micros } from '../time.js';
import type { BlobKind } from './inclusion-walk.js';

/** Blobs of one kind at a DA height that no row with a DA height explains. */
export interface BlobGroup {
  readonly kind: BlobKind;
  readonly daHeight: bigint;
  readonly blobCount: number;
  /** Bytes of the blobs under each scheme by which nodes have counted them; null if unknown. */
  readonly sizes: readonly bigint[] | null;
  /** When blocks had shown it, observer's clock. */
  readonly shownAt: Micros;
}

/** The DA heights between which a row without a DA height lies: those of the placed successes of its kind around it. */
export interface Bracket {
  /** Null: there is no such success before it. */
  readonly from: bigint | null;
  /** Null: there is none after it yet. */
  readonly to: bigint | null;
  /** Whether rows between the two may be missing. */
  readonly hasGap: boolean;
}

/**
 * A row that may be on the DA layer: one without a DA height, or a success at the group's DA height in a list without a
 * chain, which may belong to the group's chain.
 */
export interface Possible extends CellAttempt {
  readonly isSuccess: boolean;
  /** Whether its list has no chain. It then counts in no chain. */
  readonly isChainless: boolean;
  /** The DA layer answered that the batch is in the mempool already: an earlier attempt brought it there. */
  readonly isInMempool: boolean;
  /** The earliest possible time of the row: its own, or when it was observed; null if its own cannot be true. */
  readonly earliestAt: Micros | null;
  /** Equal for rows of several nodes that show one attempt. */
  readonly attempt: string;
  /** Among the successes of the group's kind. */
  readonly bracket: Bracket;
}

/**
 * Explanation of a group without a certain carrier. `UNDECIDED`: `possible` attempts, shown by `rows`, may have carried it.
 * `isSuccess`: one of them is a success of the chain that reports its own blobs or bytes. `RECONSTRUCTED`: no attempt can
 * have carried the group, only blocks show it.
 */
export type Unexplained<Row> =
  | {
      readonly outcome: 'UNDECIDED';
      readonly possible: number;
      readonly isSuccess: boolean;
      readonly rows: readonly Row[];
    }
  | { readonly outcome: 'RECONSTRUCTED' };
/** Adds `LANDED`: a failed attempt carried the group after all. `rows` are those of all nodes that show this attempt. */
export type Explanation<Row> =
  | Unexplained<Row>
  | {
      readonly outcome: 'LANDED';
      readonly row: Row;
      readonly rows: readonly Row[];
      readonly possible: number;
    };

/** With more attempts than this, neither the one that landed nor their number is reported. */
export const MOST_POSSIBLE = 100;
/** How long after blocks have shown an attempt's blobs its outcome can be reported at most. */
const LONGEST_ATTEMPT_US: Micros = 600_000_000n;

/**
 * Explains a group by the rows that may have carried it.
 *
 * @param rows those of its chain whose bracket may contain its DA height; one more than {@link MOST_POSSIBLE} if there are
 * more
 */
export function explainGroup<Row extends Possible>(group: BlobGroup, rows: readonly Row[]): Explanation<Row> {
  const possible = rows.filter((row) => couldBe(row, group));
  if (possible.length === 0) return { outcome: 'RECONSTRUCTED' };
  const all = new Set(possible.map(({ attempt }) => attempt)).size;
  const attempts = Math.min(all, MOST_POSSIBLE + 1);
  const successes = possible.filter((row) => row.isSuccess);
  const isSuccess = successes.some(
    ({ isChainless, blobCount, sizeBytes }) => !isChainless && (blobCount !== null || sizeBytes !== null),
  );
  const undecided = { outcome: 'UNDECIDED', possible: attempts, isSuccess, rows: possible } as const;
  if (possible.length > MOST_POSSIBLE || successes.length > 0) return undecided;
  const closed = new Set(possible.filter(isClosed).map(({ attempt }) => attempt));
  if (closed.size < attempts || countContents(possible) > 1) return undecided;
  const [last = possible[0]] = possible.toSorted(compareLanded);
  if (!last) return undecided;
  const same = possible.filter(({ attempt }) => attempt === last.attempt);
  return { outcome: 'LANDED', row: last, rows: same, possible: attempts };
}

/** Whether the row lies between two successes, and no missing row there can be the group instead. */
function isClosed({ bracket: { from, to, hasGap } }: Possible): boolean {
  return from !== null && to !== null && !hasGap;
}

/** Only the row's own content excludes it. A gap next to the row makes it less certain, and excludes nothing. */
function couldBe(row: Possible, group: BlobGroup): boolean {
  const { from, to } = row.bracket;
  if ((from !== null && group.daHeight < from) || (to !== null && group.daHeight > to)) return false;
  if (row.kind !== group.kind && row.kind !== 'MIXED' && row.kind !== 'UNKNOWN') return false;
  if (row.earliestAt !== null && row.earliestAt > group.shownAt + LONGEST_ATTEMPT_US) return false;
  return mayHave(row, group);
}

/**
 * Whether number and bytes agree as far as they are reported. A failure must be all of the group; a success may be a part
 * of it.
 */
function mayHave({ isSuccess, blobCount, sizeBytes }: Possible, group: BlobGroup): boolean {
  const { sizes } = group;
  if (isSuccess && blobCount !== null && blobCount < group.blobCount) {
    return sizeBytes === null || sizes === null || sizes.some((size) => sizeBytes < size);
  }
  if (blobCount !== null && blobCount !== group.blobCount) return false;
  return sizeBytes === null || sizes === null || sizes.includes(sizeBytes);
}

/** Number of different contents among the attempts. If several nodes show an attempt, one of them may report more of it. */
function countContents(rows: readonly Possible[]): number {
  const contents = new Map<string, string>();
  const known = rows.toSorted((a, b) => Number(a.kind === 'UNKNOWN') - Number(b.kind === 'UNKNOWN'));
  for (const { attempt, kind, blobCount, sizeBytes } of known) {
    if (!contents.has(attempt)) contents.set(attempt, `${kind} ${blobCount} ${sizeBytes}`);
  }
  return new Set(contents.values()).size;
}

/** A retry found the batch in the mempool where an earlier attempt had brought it; otherwise the last attempt carried it. */
function compareLanded(a: Possible, b: Possible): number {
  if (a.isInMempool !== b.isInMempool) return a.isInMempool ? 1 : -1;
  if (a.nodeKey !== b.nodeKey) return a.nodeKey - b.nodeKey;
  return a.sequence < b.sequence ? 1 : -1;
}
