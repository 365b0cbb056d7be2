import { hashRow, type KnownRing, type KnownWindow } from './known-ring.js';
import { findRowTime } from './submission-row.js';
import type { Conflict } from './window-alignment.js';
import {
  asSent,
  type DirectedRows,
  directionOfNewList,
  type Directions,
  directionsOf,
  placeAgainstReversed,
  placeByAnchors,
  placeByEquality,
  type PlacedRows,
  toCanonical,
} from './window-placement.js';
import type { FetchedWindow, Verdict, WindowLoss, WindowReading } from './window-verdict.js';

/** A list with fewer rows than this that never showed more has dropped none: no node keeps so few. */
const LEAST_RING = 10;

/**
 * Decides which rows of an answer are new, and what may be missing before them. Compares rows as sent, and by their
 * canonical JSON if that finds nothing. Pure; linear in the rows, also if they repeat.
 */
export function reconcile(known: KnownRing, fetched: FetchedWindow): Verdict {
  const current = known.windows[0];
  if (!current) return firstContact(known, fetched);
  const directions = directionsOf(fetched.rows, known.newestFirst);
  return (
    findProven(known, fetched, directions) ??
    findAmongRecent(known, fetched, directions[0]) ??
    (fetched.complete ? findEqual(known, current, directions, directions) : undefined) ??
    findRewritten(known, current, fetched, directions) ??
    startAgain(known, current, fetched)
  );
}

function firstContact(known: KnownRing, fetched: FetchedWindow): Verdict {
  if (!fetched.complete && fetched.rows.length === 0) return { kind: 'CUT', rows: 0 };
  const [likeliest] = directionsOf(fetched.rows, known.newestFirst);
  const reading = newList(known, likeliest, 0, 'BEFORE_START');
  return { kind: 'FIRST_CONTACT', ...reading, length: fetched.complete ? reading.length : null };
}

/** Proven by anchors: against the current list, then the other kept ones. See also {@link findRewritten}. */
function findProven(known: KnownRing, fetched: FetchedWindow, directions: Directions): Verdict | undefined {
  for (const window of known.windows) {
    const placed = placeByAnchors(window, mayReachBack(known, fetched), directions);
    if (placed) {
      return (
        turnAround(known, window, fetched, directions, placed) ?? continueList(known, window, fetched, placed)
      );
    }
  }
  return undefined;
}

/** The current list with its rows written differently (by a proxy, or another build of the node). */
function findRewritten(
  known: KnownRing,
  current: KnownWindow,
  fetched: FetchedWindow,
  directions: Directions,
): Verdict | undefined {
  const [window, canonical] = toCanonical(current, directions);
  const placed = placeByAnchors(window, mayReachBack(known, fetched), canonical);
  if (placed) {
    return continueList(known, current, fetched, 'conflict' in placed ? placed : asSent(placed, directions));
  }
  if (!fetched.complete) return { kind: 'CUT', rows: fetched.rows.length };
  return findEqual(known, window, canonical, directions) ?? findEqualElsewhere(known, directions);
}

function mayReachBack(known: KnownRing, fetched: FetchedWindow): boolean {
  return known.newestFirst !== undefined || !fetched.complete;
}

/** The answer belongs to a known list, at a proven position. */
function continueList(
  known: KnownRing,
  window: KnownWindow,
  fetched: FetchedWindow,
  placed: PlacedRows | Conflict,
): Verdict {
  if ('conflict' in placed) return { kind: 'INVALID', detail: placed.conflict };
  const current = known.windows[0] ?? window;
  const fresh = countFresh(window, placed);
  if (fresh < 0) {
    return fetched.complete
      ? { kind: 'STALE', source: window.source, behind: -fresh }
      : { kind: 'CUT', rows: placed.rows.length };
  }
  const isOne = isOneOfEqual(window, placed);
  if (isOne && !fetched.complete) return { kind: 'CUT', rows: placed.rows.length };
  const reading = continued(known, window, fetched.complete, placed);
  const isSwitch = window.source !== current.source;
  const isProven = !isOne && !mayBeRecorded(known, window, reading, isSwitch);
  const said = isProven ? reading : unproven(known, reading);
  if (isSwitch) return { kind: 'SWITCHED', from: current.source, ...said };
  if (!isProven) return { kind: said.loss ? 'AMBIGUOUS' : 'UNCHANGED', ...said };
  return { kind: fresh > 0 ? 'OBSERVED' : 'UNCHANGED', ...reading };
}

/**
 * Whether only one row was compared, while others have left the ring. Two rows can be equal in every field: the known one
 * may have left too, and this row may be the other.
 */
function isOneOfEqual(window: KnownWindow, placed: PlacedRows): boolean {
  const { alignment, rows } = placed;
  const reachesBack = window.length !== null && rows.length - countFresh(window, placed) >= window.length;
  return alignment.compared === 1 && !reachesBack;
}

/**
 * Whether rows that seem to be new may have been recorded already, in another list. An old answer can continue a list that
 * was lost from view with rows that were recorded since. Within one list, equal rows of one moment follow each other, and
 * rows without a time prove nothing.
 */
function mayBeRecorded(
  known: KnownRing,
  window: KnownWindow,
  { fresh }: WindowReading,
  isSwitch: boolean,
): boolean {
  if (fresh.length === 0) return false;
  const recent = new Set(known.recent);
  const isElsewhere = (text: string): boolean =>
    isSwitch || (!window.rows.includes(text) && findRowTime(text) !== null);
  return fresh.some((text) => recent.has(hashRow(text)) && isElsewhere(text));
}

/**
 * A list that was recorded in the wrong order, because nothing had shown its direction: reversed it fits better. Nothing is
 * missing, but the recorded rows keep their order, so later rows become a list of their own.
 */
function turnAround(
  known: KnownRing,
  window: KnownWindow,
  fetched: FetchedWindow,
  directions: Directions,
  placed: PlacedRows | Conflict,
): Verdict | undefined {
  const isGuessed = known.newestFirst === undefined && window === known.windows[0];
  const turned = isGuessed
    ? placeAgainstReversed(window, mayReachBack(known, fetched), directions)
    : undefined;
  if (!turned || (!('conflict' in placed) && placed.alignment.compared >= turned.alignment.compared)) {
    return undefined;
  }
  const reading = continued(known, window, fetched.complete, turned);
  return reading.fresh.length > 0
    ? { kind: 'OBSERVED', ...reading, source: known.sources }
    : { kind: 'UNCHANGED', ...reading, isDirectionShown: false };
}

function countFresh(window: KnownWindow, { alignment, rows }: PlacedRows): number {
  return alignment.offset + rows.length - window.rows.length;
}

function continued(
  known: KnownRing,
  window: KnownWindow,
  isComplete: boolean,
  placed: PlacedRows,
): WindowReading {
  const { rows, alignment } = placed;
  const fresh = Math.max(0, countFresh(window, placed));
  const expected = window.length === null ? null : window.length + fresh;
  const hasDropped = isComplete && expected !== null && expected > rows.length;
  return {
    ...newList(known, placed, window.ring, 'AMBIGUOUS'),
    fresh: rows.slice(rows.length - fresh),
    overlap: rows.length - fresh,
    anchored: true,
    source: window.source,
    length: isComplete ? rows.length : expected,
    ringSize: hasDropped ? rows.length : Math.max(known.ringSize, rows.length),
    altered: alignment.altered.map(({ knownIndex, fetchedIndex }) => ({
      index: knownIndex,
      known: window.rows[knownIndex] ?? '',
      fetched: rows[fetchedIndex] ?? '',
    })),
    loss: null,
  };
}

/**
 * Anchors that are in no kept window, but among the last recorded rows. The answer is stale, or of a list that is no longer
 * kept. Rows after the newest known row are fresh; it is not proven that nothing lies between.
 */
function findAmongRecent(
  known: KnownRing,
  fetched: FetchedWindow,
  directed: DirectedRows,
): Verdict | undefined {
  const { rows } = directed;
  const recent = new Set(known.recent);
  const isMet = rows.map((text) => recent.has(hashRow(text)));
  const times = rows.map((text, at) => (isMet[at] && isSingle(rows, at) ? findRowTime(text) : null));
  const newest = times.findLastIndex((time) => time && !time.isFromId);
  // Seconds inside of ids do not count here, as two nodes may write equal rows in one second; nor does a single whole
  // second.
  const seconds = new Set(times.filter((time) => time && !time.isFromId).map((time) => time?.ns));
  if (seconds.size < 2 && !times[newest]?.isFine) return undefined;
  if (newest === rows.length - 1) return { kind: 'STALE', source: null, behind: null };
  if (!fetched.complete) return { kind: 'CUT', rows: rows.length };
  const behind = isMet.indexOf(false, newest);
  return behind < 0 ? doubtful(known, directed) : continueForgotten(known, directed, behind);
}

/** All rows are known, but those after the last anchor may be new rows that equal known ones. */
function doubtful(known: KnownRing, directed: DirectedRows): Verdict | undefined {
  const [current] = known.windows;
  if (!current) return undefined;
  const { source, ring, length } = current;
  const reading = { ...newList(known, directed, ring, 'AMBIGUOUS'), source, length, fresh: [] };
  const said = unproven(known, { ...reading, ringSize: known.ringSize });
  return { kind: said.loss ? 'AMBIGUOUS' : 'UNCHANGED', ...said };
}

/** The answer continues a list that is no longer kept: the rows after the known ones begin it again as a new list. */
function continueForgotten(known: KnownRing, directed: DirectedRows, behind: number): Verdict {
  const [current] = known.windows;
  const fresh = { ...directed, rows: directed.rows.slice(behind) };
  const reading = newList(known, fresh, current?.ring ?? 0, 'AMBIGUOUS');
  const { length } = directed.rows;
  return { kind: 'SWITCHED', from: current?.source ?? 0, ...reading, overlap: behind, length };
}

function isSingle(rows: readonly string[], at: number): boolean {
  const text = rows[at] ?? '';
  return rows.indexOf(text) === at && rows.lastIndexOf(text) === at;
}

/**
 * A list that was empty and still is, or whose process has lived since. All of its rows came since; only a full list may
 * hide more.
 */
function continueEmpty(known: KnownRing, empty: KnownWindow, fetched: FetchedWindow): Verdict {
  const { rows, ringHolds = 0, isSameProcess = false } = fetched;
  const isFull = rows.length >= Math.max(LEAST_RING, ringHolds, known.longest);
  const reading: WindowReading = {
    ...newList(known, directionOfNewList(rows, known.newestFirst), empty.ring, 'AMBIGUOUS'),
    source: empty.source,
    anchored: isSameProcess && !isFull,
  };
  if (isFull) return { kind: 'AMBIGUOUS', ...reading };
  const from = known.windows[0]?.source ?? empty.source;
  if (from !== empty.source) return { kind: 'SWITCHED', from, ...reading, loss: null };
  return { kind: rows.length > 0 ? 'OBSERVED' : 'UNCHANGED', ...reading, loss: null };
}

/** Overlap of equal rows; `directions` may be written differently from how they were sent. */
function findEqual(
  known: KnownRing,
  window: KnownWindow,
  directions: Directions,
  sent: Directions,
): Verdict | undefined {
  const placed = placeByEquality(window, directions, known.newestFirst !== undefined);
  return placed && ambiguous(known, window, asSent(placed, sent));
}

/** Tries the other kept lists before concluding that the ring began again or overflowed. */
function findEqualElsewhere(known: KnownRing, directions: Directions): Verdict | undefined {
  for (const window of known.windows.slice(1)) {
    const verdict = findEqual(known, window, directions, directions);
    if (verdict) return verdict;
  }
  return undefined;
}

/** The longest overlap of equal rows, and a gap of unknown size before the rows after it. */
function ambiguous(known: KnownRing, window: KnownWindow, placed: PlacedRows): Verdict {
  const current = known.windows[0] ?? window;
  const fresh = countFresh(window, placed);
  const reading = unproven(known, {
    ...continued(known, window, true, placed),
    ringSize: Math.max(known.ringSize, placed.rows.length),
    // An answer whose rows are all within the known ones is at best an old answer: the ring had more since.
    length: fresh < 0 ? window.length : placed.rows.length,
  });
  if (window.source !== current.source) return { kind: 'SWITCHED', from: current.source, ...reading };
  return { kind: reading.loss ? 'AMBIGUOUS' : 'UNCHANGED', ...reading };
}

/** Adds a gap of unknown size before the fresh rows; without fresh rows, only once. */
function unproven(known: KnownRing, reading: WindowReading): WindowReading {
  const isSaid = reading.fresh.length === 0 && known.holeAfter === known.sequence;
  return { ...reading, anchored: false, loss: isSaid ? null : gapIn(known, 'AMBIGUOUS') };
}

/**
 * Nothing is shared: the ring was emptied, or, if it is full, overflowed between polls. A ring that was empty reveals
 * nothing about rows that came and went with an unseen restart.
 */
function startAgain(known: KnownRing, current: KnownWindow, fetched: FetchedWindow): Verdict {
  const { rows } = fetched;
  const empty = known.windows.find(({ length }) => length === 0);
  const wasEmpty = current === empty;
  if (empty && (rows.length === 0 || (wasEmpty && fetched.isSameProcess))) {
    return continueEmpty(known, empty, fetched);
  }
  const directed = directionOfNewList(rows, known.newestFirst);
  if (wasEmpty || rows.length < known.ringSize) {
    const reading = newList(known, directed, known.resets + 1, 'RESET');
    return { kind: 'RESET', ...reading, known: current.length ?? current.rows.length };
  }
  return { kind: 'LOST', ...newList(known, directed, current.ring, 'OVERFLOW') };
}

/** A reading in which every row is fresh. */
function newList(
  known: KnownRing,
  { rows, newestFirst, isDirectionShown }: DirectedRows,
  ring: number,
  kind: WindowLoss['kind'],
): WindowReading {
  return {
    fresh: rows,
    overlap: 0,
    anchored: false,
    source: known.sources,
    ring,
    length: rows.length,
    newestFirst,
    isDirectionShown,
    ringSize: Math.max(known.ringSize, rows.length),
    altered: [],
    loss: gapIn(known, kind),
  };
}

function gapIn(known: KnownRing, kind: WindowLoss['kind']): WindowLoss {
  return { kind, after: known.sequence, minLost: 0, maxLost: null };
}
