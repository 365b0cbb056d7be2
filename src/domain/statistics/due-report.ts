import { toPeriodText } from './period-text.js';
import { bucketStart } from './time-buckets.js';
import type { Micros, Millis } from '../time.js';

export type ReportedPeriod = 'MONTH' | 'QUARTER';

/** A report that the settings have sent by mail after the end of each period. */
export interface ReportSchedule {
  readonly mail: string;
  readonly by: ReportedPeriod;
  /** Patterns of ids; undefined: all chains. */
  readonly chains?: readonly string[] | undefined;
  readonly locale: ReportLocale;
}

/** Locale of the file in a mail. */
type ReportLocale = 'en' | 'de';

/** A report that is to be sent: the cost of a chain in a period. */
export interface RequestedReport {
  /** Plain ASCII; the same at each try. */
  readonly key: string;
  readonly destination: string;
  readonly by: ReportedPeriod;
  /** See {@link DueReport}. */
  readonly period: string;
  readonly from: Millis;
  /** Exclusive. */
  readonly to: Millis;
  readonly locale: ReportLocale;
}

export interface DueReport {
  /** `2026-10` or `2026-Q4`; later periods have greater names. */
  readonly period: string;
  readonly fromUs: Micros;
  /** Exclusive. */
  readonly toUs: Micros;
}

/** The last polls of a period are on record by then. */
const SETTLED_US = 600_000_000n;

/**
 * The last period that is over, by the clocks of a zone, unless it was reported. A period is due from ten minutes after its end.
 * Periods before it are not made up for.
 * @param last name of the period that was reported last; undefined: none was
 */
export function findDueReport(given: {
  readonly nowUs: Micros;
  readonly zone: string;
  readonly by: ReportedPeriod;
  readonly last: string | undefined;
}): DueReport | undefined {
  const { nowUs, zone, by, last } = given;
  const toUs = bucketStart(nowUs - SETTLED_US, by, zone);
  const fromUs = bucketStart(toUs - 1n, by, zone);
  const period = toPeriodText(fromUs, by, zone);
  return last !== undefined && period <= last ? undefined : { period, fromUs, toUs };
}
