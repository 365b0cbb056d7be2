import { hash } from 'node:crypto';
import type { Verdict } from './window-verdict.js';
import { findRowTime } from './submission-row.js';
import { ComparedRows } from './window-alignment.js';

/** The last recorded rows of one ring. */
export interface KnownWindow {
  /**
   * Number of the list among those that the address has shown, 0 first. Another ring, an emptied ring, and a ring that was
   * lost from view each begin a new list. The recorded rows of a list followed one another in the ring without a gap,
   * unless an `AMBIGUOUS` loss says otherwise.
   */
  readonly source: number;
  /** How often the address had been seen to empty its ring before this list began. */
  readonly ring: number;
  /** The list's last recorded rows, oldest first, in compared form. */
  readonly rows: readonly string[];
  /** Rows in the ring when it was last seen; null if only part of it was seen. */
  readonly length: number | null;
}

/** Everything that `reconcile` knows about a node's submissions list. Plain data. */
export interface KnownRing {
  /** Number of recorded rows, which is the sequence of the newest one. */
  readonly sequence: number;
  /** The current list first, then the others by last use; empty before the first contact. */
  readonly windows: readonly KnownWindow[];
  readonly sources: number;
  /** Number of emptied rings recorded so far. */
  readonly resets: number;
  readonly ringSize: number;
  /** Most rows in any answer: the ring holds as many. */
  readonly longest: number;
  /** The order in which the node sends; undefined until something showed it. */
  readonly newestFirst: boolean | undefined;
  /** The sequence after which a gap without an upper bound is already recorded; null if there is none. */
  readonly holeAfter: number | null;
  /** Hashes of the last recorded rows of all lists. */
  readonly recent: readonly number[];
  /** The known rows of the ring contain no anchor: even an answer equal to the last one proves nothing. */
  readonly isBlind: boolean;
}

/** A list without its rows. `kept` is the number of known rows; older versions did not save it. */
export type SavedWindow = Omit<KnownWindow, 'rows'> & { readonly kept?: number };

/** The part of `KnownRing` that the recorded rows do not contain: small, plain JSON, saved with each append. */
export interface RingScalars extends Pick<
  KnownRing,
  'sequence' | 'sources' | 'resets' | 'ringSize' | 'holeAfter'
> {
  readonly windows: readonly SavedWindow[];
  /** Older versions did not save it. */
  readonly longest?: number;
  readonly newestFirst: boolean | null;
}

/** A recorded row in compared form, and the list it belongs to. */
export interface ComparedRow {
  readonly text: string;
  readonly source: number;
}

/** Number of lists that are remembered; a fifth replaces the least recently seen one. */
const KEPT_WINDOWS = 4;
/** Recorded rows, of all lists, among which a stale answer is recognised; also the most rows in a window. */
export const RECENT_ROWS = 1_000;
/** The ring size of the specification, until the node shows another one. */
const DEFAULT_RING_SIZE = 100;

export function initialRing(): KnownRing {
  return {
    sequence: 0,
    windows: [],
    sources: 0,
    resets: 0,
    ringSize: DEFAULT_RING_SIZE,
    longest: 0,
    newestFirst: undefined,
    holeAfter: null,
    recent: [],
    isBlind: false,
  };
}

/** State after a verdict's rows are recorded. Verdicts that record nothing leave it unchanged. */
export function applyVerdict(known: KnownRing, verdict: Verdict): KnownRing {
  if (!('fresh' in verdict)) return known;
  const { source, ring, length, fresh, ringSize, loss } = verdict;
  const before = known.windows.find((window) => window.source === source);
  const rows = replaceAltered(before?.rows ?? [], verdict.altered).concat(fresh.map(copyText));
  const window = { source, ring, length, rows: rows.slice(-keptRows(ringSize)) };
  // An empty list that is replaced is dropped: nothing would show that it came back.
  const isLeft = (other: KnownWindow) => other.rows.length > 0 || (other.length === 0 && other !== replaced);
  const replaced = before ? undefined : known.windows[0];
  const others = known.windows.filter((other) => other.source !== source && isLeft(other));
  return {
    sequence: known.sequence + fresh.length,
    windows: [window, ...others].slice(0, KEPT_WINDOWS),
    sources: Math.max(known.sources, source + 1),
    resets: Math.max(known.resets, ring),
    ringSize,
    longest: Math.max(known.longest, length ?? 0),
    newestFirst: verdict.isDirectionShown ? verdict.newestFirst : known.newestFirst,
    holeAfter: loss ? loss.after : known.holeAfter,
    recent: [...known.recent, ...fresh.slice(-RECENT_ROWS).map(hashRow)].slice(-RECENT_ROWS),
    isBlind: isWithoutAnchor(window),
  };
}

/** State to save besides the recorded rows, so that `restoreRing` can continue. */
export function saveRing(known: KnownRing): RingScalars {
  return {
    sequence: known.sequence,
    windows: known.windows.map(({ source, ring, length, rows }) => ({
      source,
      ring,
      length,
      kept: rows.length,
    })),
    sources: known.sources,
    resets: known.resets,
    ringSize: known.ringSize,
    longest: known.longest,
    newestFirst: known.newestFirst ?? null,
    holeAfter: known.holeAfter,
  };
}

/**
 * Rebuilds the state at the start of a process. `recentRows` contains the last 1,000 recorded rows by sequence, and at
 * least the last `rowsToRead` of each list in `scalars.windows`: the rows of a quiet list may lie further back.
 */
export function restoreRing(saved: {
  readonly recentRows: readonly ComparedRow[];
  readonly scalars: RingScalars;
}): KnownRing {
  const { recentRows, scalars } = saved;
  const windows = scalars.windows.map(({ source, ring, length }) => ({
    source,
    ring,
    length,
    rows: recentRows
      .filter((row) => row.source === source)
      .slice(-keptRows(scalars.ringSize))
      .map((row) => row.text),
  }));
  return {
    ...scalars,
    longest: scalars.longest ?? 0,
    windows,
    newestFirst: scalars.newestFirst ?? undefined,
    recent: recentRows.slice(-RECENT_ROWS).map((row) => hashRow(row.text)),
    isBlind: windows[0] ? isWithoutAnchor(windows[0]) : false,
  };
}

/** Number of a list's last rows to read from the log. */
export function rowsToRead(window: SavedWindow, ringSize: number): number {
  const most = window.length === 0 ? 0 : keptRows(ringSize);
  return Math.min(most, window.kept ?? most);
}

/** Number of rows of each list kept for comparison. */
function keptRows(ringSize: number): number {
  return Math.min(RECENT_ROWS, Math.max(DEFAULT_RING_SIZE, ringSize));
}

/** 52 bits of a row's SHA-256: enough to recognise it among some thousands. */
export function hashRow(text: string): number {
  const digest = hash('sha256', text, 'buffer');
  return digest.readUIntBE(0, 6) * 16 + (digest.readUInt8(6) & 15);
}

function isWithoutAnchor(window: KnownWindow): boolean {
  // Rows that have left the ring are in no answer, so they anchor none.
  const left = window.length === null ? 0 : Math.max(0, window.rows.length - window.length);
  const rows = window.rows.slice(left);
  const newest = rows.at(-1);
  if (newest === undefined) return false;
  // The newest row nearly always is an anchor, and checking it is faster than checking the whole window.
  const isAnchor = rows.indexOf(newest) === rows.length - 1 && findRowTime(newest)?.isFine;
  return !isAnchor && !new ComparedRows(rows, rows).sharesAnchor();
}

function replaceAltered(
  rows: readonly string[],
  altered: readonly { index: number; fetched: string }[],
): string[] {
  const replaced = [...rows];
  for (const { index, fetched } of altered) replaced[index] = copyText(fetched);
  return replaced;
}

/** A slice of a body keeps the whole body in memory; this keeps only its own characters. */
export function copyText(text: string): string {
  return ` ${text}`.slice(1);
}
