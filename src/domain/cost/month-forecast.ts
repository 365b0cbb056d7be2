import { Decimal } from './decimal.js';

export interface DayFee {
  /** Null: unknown, or known only in part. */
  readonly fee: Decimal | null;
  /** Share of the day that was monitored, 0 to 1. */
  readonly coverage: number;
}

/** A month that is not over. Fees are in the unit that the forecast shall have. */
export interface MonthSoFar {
  /** Cost until now, today included. */
  readonly spent: Decimal;
  /** Complete days before now, the newest last; may include days of the previous month. */
  readonly days: readonly DayFee[];
  /** Days since its start, including the elapsed part of today. */
  readonly daysElapsed: number;
  readonly daysInMonth: number;
}

/** Cost of a month at its end. It lies between `low` and `high` in nine of ten months. */
export interface MonthForecast {
  readonly expected: Decimal;
  readonly low: Decimal;
  readonly high: Decimal;
}

/** Only the newest days count: what a rollup posts changes with its use. */
const LATEST_DAYS = 14;
const FEWEST_DAYS = 3;
/** A day monitored less than this may have cost more than what was seen of it. */
const ENOUGH_COVERAGE = 0.95;
const SCALE = 6;

/** Student's t at 95 % (two-sided 90 %) for 2, 3 ... 13 degrees of freedom. */
const T_90 = [2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833, 1.812, 1.796, 1.782, 1.771];

/**
 * Projects the end of a month from its latest days.
 *
 * The last 14 complete days count if they were monitored for 95 % and their fee is known: n days, with mean m and deviation
 * s. With r days to come, the month is expected to cost `spent + r·m`, plus or minus `t·s·√(r + r²/n)`. That is the 90 %
 * interval for a sum of r more days of the same kind: `r` for how days differ, `r²/n` for how little is known of their
 * mean. Weekdays and trends are ignored. The result is never less than what is spent already.
 *
 * @returns null if fewer than three days count and the month is not over; else decimals of at most six digits
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

/** Square root of a number that is not negative, to six digits. */
function squareRoot(value: Decimal): Decimal {
  const unit = 10n ** BigInt(SCALE);
  const square = value.times(Decimal.of(unit * unit)).ceil();
  if (square === 0n) return Decimal.ZERO;
  // Newton's method from above decreases until it converges.
  let root = 1n << BigInt(Math.ceil(square.toString(2).length / 2));
  for (;;) {
    const next = (root + square / root) / 2n;
    if (next >= root) return Decimal.of(root).dividedBy(Decimal.of(unit), SCALE);
    root = next;
  }
}
