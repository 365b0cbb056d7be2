import { bucketStart, localDate, nextBucket } from '../statistics/time-buckets.js';
import type { Micros } from '../time.js';

/** Lengths of periods in months. */
const MONTHS = { MONTH: 1, QUARTER: 3, YEAR: 12 } as const;

/** The periods that a budget can cover. Quarters and years are those of the fiscal year. */
export type BudgetPer = 'DAY' | keyof typeof MONTHS;

/**
 * The period that a moment lies in, by the clocks of a zone.
 * @param yearStart the month with which the fiscal year begins, 1 to 12
 * @returns start, and exclusive end
 */
export function budgetPeriodAt(
  us: Micros,
  per: BudgetPer,
  zone: string,
  yearStart = 1,
): { readonly fromUs: Micros; readonly toUs: Micros } {
  const size = per === 'DAY' ? 'DAY' : 'MONTH';
  const length = per === 'DAY' ? 1 : MONTHS[per];
  let fromUs = bucketStart(us, size, zone);
  const month = Number(localDate(fromUs, zone).slice(5, 7));
  for (let before = (month - yearStart + 12) % length; before > 0; before -= 1)
    fromUs = bucketStart(fromUs - 1n, size, zone);
  let toUs = fromUs;
  for (let count = 0; count < length; count += 1) toUs = nextBucket(toUs, size, zone);
  return { fromUs, toUs };
}

/** The word for a period in sentences. */
export function budgetPeriodName(per: BudgetPer, yearStart = 1): string {
  return `${per !== 'DAY' && per !== 'MONTH' && yearStart !== 1 ? 'fiscal ' : ''}${per.toLowerCase()}`;
}
