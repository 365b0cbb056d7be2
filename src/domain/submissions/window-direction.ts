import { findRowTime } from './submission-row.js';

/** An answer put oldest first, as if it had been sent in one of the two directions. */
export interface DirectedRows {
  readonly rows: readonly string[];
  readonly newestFirst: boolean;
  /** Whether something beyond a guess shows this direction, so that it is worth remembering. */
  readonly isDirectionShown: boolean;
}

/** Header and data rows of one moment are now and then out of order; rows a second apart hardly ever. */
const CLEARLY_APART_NS = 1_000_000_000n;
/** How many more clear pairs one way than the other show a direction. */
const CLEAR_MAJORITY = 3;
/** Rows of a list whose times are compared, each with each. */
const MOST_COMPARED = 50;

/**
 * Both directions, the likelier first: the remembered one, else the one in which the times rise, else newest first,
 * as the real node sends.
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

/** The direction of a list that shares nothing with what is known: clear times count more than what we remember. */
export function directionOfNewList(sent: readonly string[], remembered: boolean | undefined): DirectedRows {
  const [byTimes] = directionsOf(sent, undefined);
  return byTimes.isDirectionShown ? byTimes : directionsOf(sent, remembered)[0];
}

/** Whether times rise more often than they fall. */
export function isRising(rows: readonly string[]): boolean {
  return countRises(rows).all > 0;
}

function direct(sent: readonly string[], newestFirst: boolean, isDirectionShown: boolean): DirectedRows {
  return { rows: newestFirst ? sent.toReversed() : sent, newestFirst, isDirectionShown };
}

/**
 * Pairs of rows in which the time rises, less those in which it falls: all, and those that are a second or more apart.
 * Every pair counts, not only neighbours: those are out of order too often to tell the direction of a list.
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
      // Within a second, a time that shows whole seconds only says nothing beside a finer one.
      all += isClear || time.isFine === later.isFine ? sign : 0;
      clear += isClear ? sign : 0;
    }
  }
  return { all, clear };
}
