import type { Micros } from '../time.js';

/** A gap in a list, as far as its time tells what it can hold; observer's clock. */
interface GapTime {
  /** The last poll before it; null: there was none. */
  readonly fromAt: Micros | null;
  /** The poll that found it. */
  readonly toAt: Micros;
}

/** A group of blobs at a DA height that rows in a gap may have told. */
interface ShownGroup {
  /** The time of its newest block, node's clock. */
  readonly timeAt: Micros;
  /** When blocks had shown it, observer's clock. */
  readonly observedAt: Micros;
}

/** How far the clocks of node and observer may differ before a block's time proves anything. */
const CLOCK_SLACK_US: Micros = 10_000_000n;

/** Whose group it is, by the gap that its DA height fits. */
export type GroupOrigin = 'GAP' | 'ELSEWHERE' | 'UNKNOWN';

/**
 * Whether a row in a gap posted a group. Blocks of the gap's own time were posted in the gap. Another list posted what blocks had shown
 * before the gap began: a node records an attempt before it makes the next one. And no blob is posted before its block exists.
 */
export function originOf(group: ShownGroup, { fromAt, toAt }: GapTime): GroupOrigin {
  if (fromAt !== null && group.observedAt < fromAt) return 'ELSEWHERE';
  if (group.timeAt > toAt + CLOCK_SLACK_US) return 'ELSEWHERE';
  const isInGap = group.timeAt <= toAt && (fromAt === null || group.timeAt >= fromAt);
  return isInGap ? 'GAP' : 'UNKNOWN';
}

/** What blocks show of the rows in a gap. */
export interface GapCounts {
  /** What the poll that found the gap proves by itself. */
  readonly provenMin: bigint;
  /** Groups that no row can be. */
  readonly shownLost: bigint;
  /** Groups in its place that another list posted. */
  readonly postedElsewhere: bigint;
  /** Groups of headers and of data that rows next to the gap may be, and how many such rows there are. */
  readonly undecided: readonly { readonly groups: bigint; readonly rows: bigint }[];
}

/**
 * How many rows a gap swallowed at least. A row is one group at most: of G groups that R rows may be, G - R are nobody's. Where another
 * list posts at the same time, blocks prove that somebody posted, and not whose row was lost.
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
