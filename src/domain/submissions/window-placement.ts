import { canonicalForm } from './cut-row.js';
import type { KnownWindow } from './known-ring.js';
import { ComparedRows, findPlainly, type Alignment, type Conflict } from './window-alignment.js';
import { isRising, type DirectedRows } from './window-direction.js';

/** An answer whose place against a list is found. */
export interface PlacedRows extends DirectedRows {
  readonly alignment: Alignment;
}

/** Both directions of an answer, the likelier first. */
export type Directions = readonly [DirectedRows, DirectedRows];

/**
 * The place that anchors prove. The less likely direction counts only where more than chance shows it.
 * `mayReachBack`: whether the answer may show rows older than all that the ring held when it was seen last. While the
 * direction is a guess it may not: then those are the newest, and the guess is wrong.
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
  // A guess that contradicts what is known is no guess worth keeping.
  const isOnlyOne = !mayReachBack && placed !== undefined;
  const isShown = isOnlyOne || (isPlain && (other.alignment.showsDirection || isRising(second.rows)));
  return isPlain && isShown ? other : placed;
}

/**
 * The place of an answer whose direction nothing had shown when the list began. So the list was recorded the
 * wrong way round: its rows reversed fit, and go on. Undefined where they don't.
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

/** The same list and answer with each row in one form for all ways to write the same JSON. */
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

/** What was found in canonical rows, with the rows as they were sent. */
export function asSent<Placed extends DirectedRows>(placed: Placed, directions: Directions): Placed {
  const sent = directions.find(({ newestFirst }) => newestFirst === placed.newestFirst);
  return { ...placed, rows: sent?.rows ?? placed.rows };
}

/** The longest overlap of equal rows, which proves nothing; in the likelier direction only, where that is more than a guess. */
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
    findPlainly(window.rows, directed.rows) ?? new ComparedRows(window.rows, directed.rows).findProven();
  if (!alignment || 'conflict' in alignment) return alignment;
  const { offset, showsDirection } = alignment;
  const reachesEnd = offset + directed.rows.length >= window.rows.length;
  const oldest = window.length === null ? -Infinity : window.rows.length - window.length;
  if (!mayReachBack && reachesEnd && offset < oldest) {
    return { conflict: 'rows older than all that the ring held before' };
  }
  return { ...directed, alignment, isDirectionShown: directed.isDirectionShown || showsDirection };
}
