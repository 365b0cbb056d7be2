import type { Micros } from '../time.js';

/** A gap in a list, reduced to the times that limit its content; observer's clock. */
interface GapTime {
  /** The last poll before it; null: there was none. */
  readonly fromAt: Micros | null;
  /** The poll that found it. */
  readonly toAt: Micros;
}

/** A group of blobs at a DA height that rows in a gap may have posted. */
interface ShownGroup {
  /** The time of its newest block, node's clock. */
  readonly timeAt: Micros;
  /** When blocks had shown it, observer's clock. */
  readonly observedAt: Micros;
}

/** Difference between the clocks of node and observer up to which a block's time proves nothing. */
const CLOCK_SLACK_US: Micros = 10_000_000n;

/** Origin of a group, relative to the gap that its DA height fits. */
export type GroupOrigin = 'GAP' | 'ELSEWHERE' | 'UNKNOWN';

/**
 * Whether a row in a gap posted a group. Blocks from the time of the gap were posted in the gap. Groups that blocks had
 * shown before the gap began were posted by another list: a node records an attempt before it makes the next one. No blob
 * is posted before its block exists.
 */
export function originOf(group: ShownGroup, { fromAt, toAt }: GapTime): GroupOrigin {
  if (fromAt !== null && group.observedAt < fromAt) return 'ELSEWHERE';
  if (group.timeAt > toAt + CLOCK_SLACK_US) return 'ELSEWHERE';
  const isInGap = group.timeAt <= toAt && (fromAt === null || group.timeAt >= fromAt);
  return isInGap ? 'GAP' : 'UNKNOWN';
}

/** Evidence of blocks about the rows in a gap. */
export interface GapCounts {
  /** Lower bound that the poll that found the gap proves by itself. */
  readonly provenMin: bigint;
  /** Groups that no row can have posted. */
  readonly shownLost: bigint;
  /** Groups at the gap's position that another list posted. */
  readonly postedElsewhere: bigint;
  /** Groups of headers and of data that rows next to the gap may have posted, and the number of those rows. */
  readonly undecided: readonly { readonly groups: bigint; readonly rows: bigint }[];
}

/**
 * Lower bound of the rows lost in a gap. A row posts one group at most: if R rows may explain G groups, G - R groups have
 * no row. If another list posts at the same time, blocks prove that somebody posted, but not whose row was lost.
 */
export function countLost({ provenMin, shownLost, postedElsewhere, undecided }: GapCounts): bigint {
  if (postedElsewhere > 0n) return provenMin;
  const unexplained = undecided.reduce(
    (sum, { groups, rows }) => (groups > rows ? sum + groups - rows : sum),
    0n,
  );
  const shown = shownLost + unexplained;
  return shown > provenMin ? shown : provenMin;
}
