import { canonicalJson } from './exact-json.js';
import type { KnownWindow } from './known-ring.js';
import { ComparedRows, type Alignment, type Conflict } from './window-alignment.js';
import { isRising, type DirectedRows } from './window-direction.js';

/** An answer whose place against a list is found. */
export interface PlacedRows extends DirectedRows {
  readonly alignment: Alignment;
}

/** Both directions of an answer, the likelier first. */
export type Directions = readonly [DirectedRows, DirectedRows];

/** How rows are compared: as sent, or in one form for all ways to write the same JSON. */
export type Comparison = 'AS_SENT' | 'CANONICAL';

/** The place that anchors prove. The less likely direction counts only where more than chance shows it. */
export function placeByAnchors(
  window: KnownWindow,
  isComplete: boolean,
  [first, second]: Directions,
  comparison: Comparison,
): PlacedRows | Conflict | undefined {
  const placed = placeDirected(window, isComplete, first, comparison);
  if (placed && !('conflict' in placed)) {
    return placed;
  }
  const other = placeDirected(window, isComplete, second, comparison);
  const isPlain = other && !('conflict' in other) && other.alignment.altered.length === 0;
  return isPlain && (other.alignment.compared > 1 || isRising(second.rows)) ? other : placed;
}

/**
 * The place of an answer whose direction nothing had shown when the list began, so that the list was recorded the
 * wrong way round: its rows reversed fit, and go on. Undefined where they don't.
 */
export function placeAgainstReversed(
  window: KnownWindow,
  isComplete: boolean,
  directions: Directions,
): PlacedRows | undefined {
  const reversed = { ...window, rows: window.rows.toReversed() };
  for (const directed of directions) {
    const placed = placeDirected(reversed, isComplete, directed, 'AS_SENT');
    if (placed && !('conflict' in placed) && placed.alignment.compared > 1) {
      return placed;
    }
  }
  return undefined;
}

/** The longest overlap of equal rows, which proves nothing. */
export function placeByEquality(
  window: KnownWindow,
  directed: DirectedRows,
  comparison: Comparison,
): PlacedRows | undefined {
  const alignment = compareRows(window, directed, comparison).findLongest(window.length ?? Infinity);
  return alignment && { ...directed, alignment };
}

function placeDirected(
  window: KnownWindow,
  isComplete: boolean,
  directed: DirectedRows,
  comparison: Comparison,
): PlacedRows | Conflict | undefined {
  const alignment = compareRows(window, directed, comparison).findProven();
  if (!alignment || 'conflict' in alignment) {
    return alignment;
  }
  const { offset, compared } = alignment;
  const reachesEnd = offset + directed.rows.length >= window.rows.length;
  const oldest = window.length === null ? -Infinity : window.rows.length - window.length;
  if (isComplete && reachesEnd && offset < oldest) {
    return { conflict: 'rows older than all that the ring held before' };
  }
  return { ...directed, alignment, isDirectionShown: directed.isDirectionShown || compared > 1 };
}

function compareRows(window: KnownWindow, directed: DirectedRows, comparison: Comparison): ComparedRows {
  return comparison === 'AS_SENT'
    ? new ComparedRows(window.rows, directed.rows)
    : new ComparedRows(window.rows.map(canonicalJson), directed.rows.map(canonicalJson));
}
