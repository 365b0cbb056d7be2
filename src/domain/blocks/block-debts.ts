import type { Millis } from '../time.js';
import type { HeightRange } from './height-ranges.js';

/** Heights that were skipped because the node did not return them, both ends included. JSON: heights are decimal strings. */
export interface BlockDebt {
  readonly from: string;
  readonly to: string;
  /** Number of failed requests in a row. */
  readonly tries: number;
  /** When the next request is due, observer's clock. */
  readonly dueAt: Millis;
}

export interface DebtAnswers {
  readonly given: readonly bigint[];
  readonly refused: readonly bigint[];
}

/** The pause before a skipped height is requested again. It doubles with each failed request, up to the longest pause. */
export const FIRST_PAUSE_MS: Millis = 10_000;
export const LONGEST_PAUSE_MS: Millis = 3_600_000;
/** Above this many ranges the lowest is requested no more, so that no node can make the state grow without bound. */
export const MOST_DEBTS = 200;

/** Adds heights that lie above all other debts. */
export function addDebt(
  debts: readonly BlockDebt[],
  [from, to]: HeightRange,
  now: Millis,
): readonly BlockDebt[] {
  return limited([...debts, owe([from, to], 0, now)]);
}

/**
 * The heights to request now, at most one per debt. A debt of several heights requests each of them in turn: the lowest may
 * be the only one that the node cannot return.
 */
export function dueHeights(debts: readonly BlockDebt[], now: Millis, most: number): bigint[] {
  return debts
    .filter((debt) => isDue(debt, now))
    .slice(0, most)
    .map(({ from, to, tries }) => BigInt(from) + (BigInt(tries) % (BigInt(to) - BigInt(from) + 1n)));
}

/** The last height of the debt that contains a height; undefined if no debt does. */
export function endOfDebt(debts: readonly BlockDebt[], height: bigint): bigint | undefined {
  const found = debts.find(({ from, to }) => BigInt(from) <= height && height <= BigInt(to));
  return found && BigInt(found.to);
}

/**
 * The debts after some heights were requested. If the node returned a part of a debt, the rest is requested without a
 * longer pause, since the node can read again. If it returned nothing, the pause doubles.
 */
export function settleDebts(
  debts: readonly BlockDebt[],
  { given, refused }: DebtAnswers,
  now: Millis,
): readonly BlockDebt[] {
  const settled = debts.flatMap((debt) => {
    const isIn = ([from, to]: HeightRange, height: bigint): boolean => from <= height && height <= to;
    const whole: HeightRange = [BigInt(debt.from), BigInt(debt.to)];
    const got = given.filter((height) => isIn(whole, height));
    const isRefused = (range: HeightRange): boolean => refused.some((height) => isIn(range, height));
    if (got.length === 0) return isRefused(whole) ? [owe(whole, debt.tries + 1, now)] : [debt];
    return without(whole, got).map((rest) =>
      isRefused(rest) ? owe(rest, 1, now) : { ...owe(rest, 0, now), dueAt: now },
    );
  });
  return limited(settled);
}

/** The debts at or above a height. The node says that it dropped the blocks below. */
export function dropDebtsBelow(debts: readonly BlockDebt[], height: bigint): readonly BlockDebt[] {
  return debts
    .filter(({ to }) => BigInt(to) >= height)
    .map((debt) => (BigInt(debt.from) >= height ? debt : { ...debt, from: String(height) }));
}

function owe([from, to]: HeightRange, tries: number, now: Millis): BlockDebt {
  return { from: String(from), to: String(to), tries, dueAt: now + pauseAfter(tries) };
}

export function pauseAfter(tries: number): Millis {
  return Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
}

/** A clock that was set back must not delay a request for longer than its pause. */
function isDue({ tries, dueAt }: BlockDebt, now: Millis): boolean {
  return dueAt <= now || dueAt - now > pauseAfter(tries);
}

function without([from, to]: HeightRange, heights: readonly bigint[]): HeightRange[] {
  const left: HeightRange[] = [];
  let next = from;
  for (const height of [...heights].sort((a, b) => (a < b ? -1 : 1))) {
    if (height > next) left.push([next, height - 1n]);
    if (height >= next) next = height + 1n;
  }
  if (next <= to) left.push([next, to]);
  return left;
}

function limited(debts: readonly BlockDebt[]): readonly BlockDebt[] {
  return debts.slice(-MOST_DEBTS);
}
