import type { CellAttempt } from './blob-segments.js';
import type { Micros } from '../time.js';
import type { BlobKind } from './inclusion-walk.js';

/** Blobs of one kind at a DA height that nothing which tells its DA height explains. */
export interface Group {
  readonly kind: BlobKind;
  readonly daHeight: bigint;
  readonly blobCount: number;
  /** Bytes of the blobs, by each scheme by which nodes have counted them; null where they are not known. */
  readonly sizes: readonly bigint[] | null;
  /** When blocks had shown it, observer's clock. */
  readonly shownAt: Micros;
}

/** The DA heights between which a row lies that tells none: those of the placed successes of its kind around it. */
export interface Bracket {
  /** Null: no such success stands before it. */
  readonly from: bigint | null;
  /** Null: none stands behind it yet. */
  readonly to: bigint | null;
  /** Rows between the two may be missing. */
  readonly hasHole: boolean;
}

/** A row that tells no DA height and may be on the DA layer. */
export interface Possible extends CellAttempt {
  readonly isSuccess: boolean;
  /** The node was told that the batch is in the mempool already: an earlier attempt brought it there. */
  readonly isInMempool: boolean;
  /** The earliest time that it can be of: its own, or when it was observed; null where its own cannot be true. */
  readonly earliestAt: Micros | null;
  /** Equal for rows of several nodes that are one attempt. */
  readonly attempt: string;
  /** Among the successes of the group's kind. */
  readonly bracket: Bracket;
}

/**
 * What is known of a group. `UNDECIDED`: some attempts may have carried it: `possible` of them, which `rows` show. `isSuccess`: one of
 * them is a success that counts blobs of its own. `RECONSTRUCTED`: no attempt can have carried the group, only blocks show it.
 */
export type Unexplained<Row> =
  | {
      readonly outcome: 'UNDECIDED';
      readonly possible: number;
      readonly isSuccess: boolean;
      readonly rows: readonly Row[];
    }
  | { readonly outcome: 'RECONSTRUCTED' };
/** The same; or `LANDED`: a failed attempt carried it after all. `rows` are those of all nodes that show this attempt. */
export type Explanation<Row> =
  | Unexplained<Row>
  | {
      readonly outcome: 'LANDED';
      readonly row: Row;
      readonly rows: readonly Row[];
      readonly possible: number;
    };

/** Of more attempts than this nobody learns which it was, nor how many there were. */
export const MOST_POSSIBLE = 100;
/** How long after blocks have shown what an attempt posted its outcome can be told at most. */
const LONGEST_ATTEMPT_US: Micros = 600_000_000n;

/**
 * Explains a group by the rows that may be it.
 *
 * @param rows those of its chain whose bracket may hold its DA height; one more than {@link MOST_POSSIBLE} where there are more
 */
export function explainGroup<Row extends Possible>(group: Group, rows: readonly Row[]): Explanation<Row> {
  const possible = rows.filter((row) => couldBe(row, group));
  if (possible.length === 0) return { outcome: 'RECONSTRUCTED' };
  const all = new Set(possible.map(({ attempt }) => attempt)).size;
  const attempts = Math.min(all, MOST_POSSIBLE + 1);
  const successes = possible.filter((row) => row.isSuccess);
  const isSuccess = successes.some(({ blobCount, sizeBytes }) => blobCount !== null || sizeBytes !== null);
  const undecided = { outcome: 'UNDECIDED', possible: attempts, isSuccess, rows: possible } as const;
  if (possible.length > MOST_POSSIBLE || successes.length > 0) return undecided;
  const closed = new Set(possible.filter(isClosed).map(({ attempt }) => attempt));
  if (closed.size < attempts || countContents(possible) > 1) return undecided;
  const [last = possible[0]] = possible.toSorted(compareLanded);
  if (!last) return undecided;
  const same = possible.filter(({ attempt }) => attempt === last.attempt);
  return { outcome: 'LANDED', row: last, rows: same, possible: attempts };
}

/** Whether it lies between two successes, and nothing that may be missing there can be the group instead. */
function isClosed({ bracket: { from, to, hasHole } }: Possible): boolean {
  return from !== null && to !== null && !hasHole;
}

/** Only what a row itself says excludes it. A gap next to the row takes its certainty, and excludes nothing. */
function couldBe(row: Possible, group: Group): boolean {
  const { from, to } = row.bracket;
  if ((from !== null && group.daHeight < from) || (to !== null && group.daHeight > to)) return false;
  if (row.kind !== group.kind && row.kind !== 'MIXED' && row.kind !== 'UNKNOWN') return false;
  if (row.earliestAt !== null && row.earliestAt > group.shownAt + LONGEST_ATTEMPT_US) return false;
  return mayHave(row, group);
}

/**
 * Whether number and bytes agree as far as they are told. A failure must be all of the group; a success may be a part
 * of it.
 */
function mayHave({ isSuccess, blobCount, sizeBytes }: Possible, group: Group): boolean {
  const { sizes } = group;
  if (isSuccess && blobCount !== null && blobCount < group.blobCount) {
    return sizeBytes === null || sizes === null || sizes.some((size) => sizeBytes < size);
  }
  if (blobCount !== null && blobCount !== group.blobCount) return false;
  return sizeBytes === null || sizes === null || sizes.includes(sizeBytes);
}

/** How many kinds of attempts there are; of an attempt that several nodes tell one of them may tell more. */
function countContents(rows: readonly Possible[]): number {
  const contents = new Map<string, string>();
  const known = rows.toSorted((a, b) => Number(a.kind === 'UNKNOWN') - Number(b.kind === 'UNKNOWN'));
  for (const { attempt, kind, blobCount, sizeBytes } of known) {
    if (!contents.has(attempt)) contents.set(attempt, `${kind} ${blobCount} ${sizeBytes}`);
  }
  return new Set(contents.values()).size;
}

/** A retry found the batch in the mempool where an earlier attempt had brought it; else the last attempt made it. */
function compareLanded(a: Possible, b: Possible): number {
  if (a.isInMempool !== b.isInMempool) return a.isInMempool ? 1 : -1;
  if (a.nodeKey !== b.nodeKey) return a.nodeKey - b.nodeKey;
  return a.sequence < b.sequence ? 1 : -1;
}
