import { bucketStart, nextBucket } from '../statistics/time-buckets.js';
import type { Micros } from '../time.js';

/** The periods that a budget can cover. Quarters and years are those of the fiscal year. */
export type BudgetPer = 'DAY' | 'MONTH' | 'QUARTER' | 'YEAR';

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
  const size = per === 'QUARTER' || per === 'YEAR' ? { fiscal: per, yearStart } : per;
  const fromUs = bucketStart(us, size, zone);
  return { fromUs, toUs: nextBucket(fromUs, size, zone) };
}

/** The word for a period in sentences. */
export function budgetPeriodName(per: BudgetPer, yearStart = 1): string {
  return `${per !== 'DAY' && per !== 'MONTH' && yearStart !== 1 ? 'fiscal ' : ''}${per.toLowerCase()}`;
}
