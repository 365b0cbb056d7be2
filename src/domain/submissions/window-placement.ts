import { canonicalForm } from './cut-row.js';
import type { KnownWindow } from './known-ring.js';
import { findRowTime } from './submission-row.js';
import { type Alignment, ComparedRows, type Conflict, findPlainly } from './window-alignment.js';

/** An answer in oldest-first order, if it was sent in one of the two directions. */
export interface DirectedRows {
  readonly rows: readonly string[];
  readonly newestFirst: boolean;
  /** Whether something beyond a guess shows this direction, so that it is worth remembering. */
  readonly isDirectionShown: boolean;
}

/** Header and data rows of one moment are sometimes out of order; rows a second apart hardly ever. */
const CLEARLY_APART_NS = 1_000_000_000n;
/** How many more clear pairs one way than the other prove a direction. */
const CLEAR_MAJORITY = 3;
/** Most rows of a list whose times are compared, each with each. */
const MOST_COMPARED = 50;

/**
 * Both directions, the likelier first: the remembered one, else the one in which times rise, else newest first, as the real
 * node sends.
 */
export function directionsOf(
  sent: readonly string[],
  remembered: boolean | undefined,
): readonly [DirectedRows, DirectedRows] {
  const steps = remembered === undefined ? countRises(sent) : { all: 0, clear: 0 };
  const isShown = Math.abs(steps.clear) >= CLEAR_MAJORITY;
  const newestFirst = remembered ?? (isShown ? steps.clear < 0 : steps.all <= 0);
  return [direct(sent, newestFirst, isShown), direct(sent, !newestFirst, false)];
}

/** The direction of a list that shares nothing with the known rows: clear times count more than the remembered direction. */
export function directionOfNewList(sent: readonly string[], remembered: boolean | undefined): DirectedRows {
  const [byTimes] = directionsOf(sent, undefined);
  return byTimes.isDirectionShown ? byTimes : directionsOf(sent, remembered)[0];
}

/** Whether times rise more often than they fall. */
function isRising(rows: readonly string[]): boolean {
  return countRises(rows).all > 0;
}

function direct(sent: readonly string[], newestFirst: boolean, isDirectionShown: boolean): DirectedRows {
  return { rows: newestFirst ? sent.toReversed() : sent, newestFirst, isDirectionShown };
}

/**
 * Pairs of rows in which the time rises, minus those in which it falls: all pairs, and those at least a second apart. Every
 * pair counts, not only neighbours: those are out of order too often to show the direction of a list.
 */
function countRises(rows: readonly string[]): { readonly all: number; readonly clear: number } {
  const stride = Math.max(1, Math.ceil(rows.length / MOST_COMPARED));
  const times = rows
    .filter((_, index) => index % stride === 0)
    .map(findRowTime)
    .filter((time) => time !== null);
  let all = 0;
  let clear = 0;
  for (const [index, time] of times.entries()) {
    for (const later of times.slice(index + 1)) {
      const step = later.ns - time.ns;
      const sign = step > 0n ? 1 : step < 0n ? -1 : 0;
      const isClear = step * BigInt(sign) >= CLEARLY_APART_NS;
      // Within a second, a time in whole seconds proves nothing next to a finer one.
      all += isClear || time.isFine === later.isFine ? sign : 0;
      clear += isClear ? sign : 0;
    }
  }
  return { all, clear };
}

/** An answer whose position relative to a list is known. */
export interface PlacedRows extends DirectedRows {
  readonly alignment: Alignment;
}

/** Both directions of an answer, the likelier first. */
export type Directions = readonly [DirectedRows, DirectedRows];

/**
 * The position that anchors prove. The less likely direction counts only if more than chance shows it.
 *
 * @param mayReachBack whether the answer may show rows older than all that the ring had when it was last seen. Not while
 * the direction is a guess: then those rows are the newest, and the guess is wrong
 */
export function placeByAnchors(
  window: KnownWindow,
  mayReachBack: boolean,
  [first, second]: Directions,
): PlacedRows | Conflict | undefined {
  const placed = placeDirected(window, mayReachBack, first);
  if (placed && !('conflict' in placed)) return placed;
  const other = placeDirected(window, mayReachBack, second);
  const isPlain = other && !('conflict' in other) && other.alignment.altered.length === 0;
  // A guess that contradicts known rows is not worth keeping.
  const isOnlyOne = !mayReachBack && placed !== undefined;
  const isShown = isOnlyOne || (isPlain && (other.alignment.showsDirection || isRising(second.rows)));
  return isPlain && isShown ? other : placed;
}

/**
 * The position of an answer if the list was recorded in the wrong order, because nothing had shown its direction: the
 * list's rows reversed fit, and continue. Undefined if they do not fit.
 */
export function placeAgainstReversed(
  window: KnownWindow,
  mayReachBack: boolean,
  directions: Directions,
): PlacedRows | undefined {
  const reversed = { ...window, rows: window.rows.toReversed() };
  for (const directed of directions) {
    const placed = placeDirected(reversed, mayReachBack, directed);
    if (placed && !('conflict' in placed) && placed.alignment.showsDirection) return placed;
  }
  return undefined;
}

/** The same list and answer with each row in canonical form, equal for all ways to write the same JSON. */
export function toCanonical(window: KnownWindow, directions: Directions): readonly [KnownWindow, Directions] {
  const [first, second] = directions;
  const rows = first.rows.map(canonicalForm);
  return [
    { ...window, rows: window.rows.map(canonicalForm) },
    [
      { ...first, rows },
      { ...second, rows: rows.toReversed() },
    ],
  ];
}

/** The result found with canonical rows, with the rows as they were sent. */
export function asSent<Placed extends DirectedRows>(placed: Placed, directions: Directions): Placed {
  const sent = directions.find(({ newestFirst }) => newestFirst === placed.newestFirst);
  return { ...placed, rows: sent?.rows ?? placed.rows };
}

/** The longest overlap of equal rows, which proves nothing; only in the likelier direction if that is more than a guess. */
export function placeByEquality(
  window: KnownWindow,
  directions: Directions,
  isDirectionKnown: boolean,
): PlacedRows | undefined {
  const isTold = isDirectionKnown || isRising(directions[0].rows);
  for (const directed of isTold ? directions.slice(0, 1) : directions) {
    const alignment = new ComparedRows(window.rows, directed.rows).findLongest(window.length ?? Infinity);
    if (alignment) return { ...directed, alignment };
  }
  return undefined;
}

function placeDirected(
  window: KnownWindow,
  mayReachBack: boolean,
  directed: DirectedRows,
): PlacedRows | Conflict | undefined {
  const alignment =
    findPlainly(window.rows, directed.rows) ?? new ComparedRows(window.rows, directed.rows).findByAnchors();
  if (!alignment || 'conflict' in alignment) return alignment;
  const { offset, showsDirection } = alignment;
  const reachesEnd = offset + directed.rows.length >= window.rows.length;
  const oldest = window.length === null ? -Infinity : window.rows.length - window.length;
  if (!mayReachBack && reachesEnd && offset < oldest) {
    return { conflict: 'rows older than all rows that the ring had before' };
  }
  return { ...directed, alignment, isDirectionShown: directed.isDirectionShown || showsDirection };
}
