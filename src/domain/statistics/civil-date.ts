/** Dates of the Gregorian calendar as days since 1970-01-01, unbounded in both directions. */

interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
}

/** Days of 400 years, after which the calendar repeats. */
const CYCLE_DAYS = 146_097;
/** Days from 0000-03-01 to 1970-01-01. The computation begins in March, so that a leap day is the last day of its year. */
const DAYS_BEFORE_1970 = 719_468;

/** The Monday on or before a day. */
export function mondayOf(day: number): number {
  // 1970-01-01 was a Thursday.
  return day - ((((day + 3) % 7) + 7) % 7);
}

/**
 * The first day of the period `ahead` periods after the day's period.
 * @param length months of a period: 1, 3 or 12
 * @param yearStart the month with which the periods of a year begin, 1 to 12
 */
export function firstOfMonths(day: number, length: number, ahead: number, yearStart: number): number {
  const { year, month } = dateOf(day);
  const skipped = yearStart - 1;
  const months = (Math.floor((year * 12 + month - 1 - skipped) / length) + ahead) * length + skipped;
  return dayOfDate(Math.floor(months / 12), months - Math.floor(months / 12) * 12 + 1, 1);
}

/** @param month 1 to 12 */
function dayOfDate(year: number, month: number, dayOfMonth: number): number {
  const yearFromMarch = month <= 2 ? year - 1 : year;
  const cycle = Math.floor(yearFromMarch / 400);
  const yearOfCycle = yearFromMarch - cycle * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + dayOfMonth - 1;
  const dayOfCycle =
    yearOfCycle * 365 + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100) + dayOfYear;
  return cycle * CYCLE_DAYS + dayOfCycle - DAYS_BEFORE_1970;
}

function dateOf(day: number): CivilDate {
  const shifted = day + DAYS_BEFORE_1970;
  const cycle = Math.floor(shifted / CYCLE_DAYS);
  const dayOfCycle = shifted - cycle * CYCLE_DAYS;
  const yearOfCycle = Math.floor(
    (dayOfCycle -
      Math.floor(dayOfCycle / 1460) +
      Math.floor(dayOfCycle / 36_524) -
      Math.floor(dayOfCycle / (CYCLE_DAYS - 1))) /
      365,
  );
  const dayOfYear =
    dayOfCycle - (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0), month };
}
