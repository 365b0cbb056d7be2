import { Decimal } from './decimal.js';

/** What a complete day cost. */
export interface DayFee {
  /** Null: not known, or not all of it. */
  readonly fee: Decimal | null;
  /** Share of the day that was watched, 0 to 1. */
  readonly coverage: number;
}

/** A month that is not over. Fees are in whatever unit the forecast shall have. */
export interface MonthSoFar {
  /** What it cost until now, today included. */
  readonly spent: Decimal;
  /** Complete days before now, the newest last. Those of the month before may be among them. */
  readonly days: readonly DayFee[];
  /** Days since its start, the part of today included. */
  readonly daysElapsed: number;
  readonly daysInMonth: number;
}

/** What a month will have cost when it ends. `low` and `high` hold it in nine of ten months. */
export interface MonthForecast {
  readonly expected: Decimal;
  readonly low: Decimal;
  readonly high: Decimal;
}

/** The newest days only: what a rollup posts changes with its use. */
const LATEST_DAYS = 14;
const FEWEST_DAYS = 3;
/** A day watched less than this may have cost more than what was seen of it. */
const ENOUGH_COVERAGE = 0.95;
const SCALE = 6;

/** Student's t at 95 % (two-sided 90 %) for 2, 3 ... 13 degrees of freedom. */
const T_90 = [2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833, 1.812, 1.796, 1.782, 1.771];

/**
 * Projects the end of a month from its latest days.
 *
 * Of the last 14 complete days, those that were watched for 95 % and whose fee is known count. There are n of
 * them, with mean m and deviation s, and r days are to come. The month is expected to cost `spent + r·m`, give or
 * take `t·s·√(r + r²/n)`. That is the 90 % interval for a sum of r more days of the same kind. `r` is for how
 * days differ, `r²/n` for how little is known of their mean. Weekdays and trends are not looked for. It is never
 * less than what is spent already.
 *
 * @returns null where fewer than three days count and the month is not over; else decimals of at most six digits
 */
export function forecastMonth({ spent, days, daysElapsed, daysInMonth }: MonthSoFar): MonthForecast | null {
  const left = Math.max(0, daysInMonth - daysElapsed);
  if (!(left > 0)) return { expected: spent, low: spent, high: spent };
  const fees = days.slice(-LATEST_DAYS).filter(isKnown);
  const quantile = T_90[fees.length - FEWEST_DAYS];
  if (quantile === undefined) return null;
  const count = Decimal.of(BigInt(fees.length));
  const mean = fees.reduce((sum, { fee }) => sum.plus(fee), Decimal.ZERO).dividedBy(count, 2 * SCALE);
  const squares = fees.reduce((sum, { fee }) => sum.plus(squareOf(fee.minus(mean))), Decimal.ZERO);
  const variance = squares.dividedBy(Decimal.of(BigInt(fees.length - 1)), 2 * SCALE);
  const spread = variance.times(toDecimal(left + (left * left) / fees.length));
  const margin = squareRoot(spread).times(toDecimal(quantile));
  const expected = spent.plus(mean.times(toDecimal(left)));
  const low = expected.minus(margin);
  return {
    expected: rounded(expected),
    low: low.compare(spent) < 0 ? spent : rounded(low),
    high: rounded(expected.plus(margin)),
  };
}

function isKnown(day: DayFee): day is DayFee & { readonly fee: Decimal } {
  return day.fee !== null && day.coverage >= ENOUGH_COVERAGE;
}

function squareOf(value: Decimal): Decimal {
  return value.times(value);
}

/** A number of days or a quantile; never money. */
function toDecimal(value: number): Decimal {
  return Decimal.parse(value.toFixed(2 * SCALE)) ?? Decimal.ZERO;
}

function rounded(value: Decimal): Decimal {
  return value.dividedBy(Decimal.of(1n), SCALE);
}

/** Of a number that is not negative, to six digits. */
function squareRoot(value: Decimal): Decimal {
  const unit = 10n ** BigInt(SCALE);
  const square = value.times(Decimal.of(unit * unit)).ceil();
  if (square === 0n) return Decimal.ZERO;
  // Newton's method from above falls until it is there.
  let root = 1n << BigInt(Math.ceil(square.toString(2).length / 2));
  for (;;) {
    const next = (root + square / root) / 2n;
    if (next >= root) return Decimal.of(root).dividedBy(Decimal.of(unit), SCALE);
    root = next;
  }
}
