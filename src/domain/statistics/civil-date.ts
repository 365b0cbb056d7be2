const DAY_MS = 86_400_000;

/** The Monday on or before a day, in days since 1970. */
export function mondayOf(day: number): number {
  // 1970-01-01 was a Thursday.
  return day - ((((day + 3) % 7) + 7) % 7);
}

/**
 * The first day of the period `ahead` periods after the day's period, in days since 1970.
 * @param length months of a period: 1, 3 or 12
 * @param yearStart the month with which the periods of a year begin, 1 to 12
 */
export function firstOfMonths(day: number, length: number, ahead: number, yearStart: number): number {
  const date = new Date(day * DAY_MS);
  const skipped = yearStart - 1;
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() - skipped;
  const months = (Math.floor(month / length) + ahead) * length + skipped;
  return new Date(0).setUTCFullYear(0, months, 1) / DAY_MS;
}
