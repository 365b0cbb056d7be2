import { fiscalYearStarts, type ChainBudget } from '../domain/cost/budget.js';
import { isTimeZone } from '../domain/statistics/time-buckets.js';
import type { Micros } from '../domain/time.js';
import { UserError } from '../platform/errors.js';
import type { CsvLocale } from '../api/export/row-writers.js';
import type { ReportQuestion } from '../statistics/read/cost/chain-report.reader.js';
import {
  REPORT_GROUPS,
  STORED_BUCKETS,
  type PlannedBucket,
  type ReportBucket,
  type ReportGroup,
} from '../statistics/read/plan/report-request.js';
import { isFiscalPeriod, readFrom, readReportMoment, readTo } from './report-period.js';
import type { ReportFormat } from './report-formats.js';
import type { SettingOptions } from './setting-options.js';

export interface ReportOptions extends SettingOptions {
  readonly chain?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly by: string;
  readonly fiscalYearStart?: number;
  readonly format: ReportFormat;
  readonly timeZone?: string;
  readonly groupBy: readonly ReportGroup[];
  readonly knownAt?: string;
  readonly pricesAsOf?: string;
  readonly lines?: boolean;
  readonly totals?: boolean;
  readonly locale?: CsvLocale;
  readonly mail?: string;
}

/** Groups that can be named; chains are left out, because each has its own report. */
export const GROUPS = REPORT_GROUPS.filter((group) => group !== 'CHAIN').map((group) => group.toLowerCase());

const FISCAL_SIZES = { 'fiscal-quarter': 'QUARTER', 'fiscal-year': 'YEAR' } as const;

/** The values of `--by`. */
export const PERIODS = [
  ...STORED_BUCKETS.map((bucket) => bucket.toLowerCase().replace('_', '-')),
  ...Object.keys(FISCAL_SIZES),
];

/** The options with a period as `--from` and `--to`. @throws UserError if these are given as well */
export function withPeriod(period: string | undefined, options: ReportOptions): ReportOptions {
  if (period === undefined) return options;
  if (options.from !== undefined || options.to !== undefined)
    throw new UserError('A period is a time of its own.', 'Leave out --from and --to.', 2);
  if (readFrom(period, 'UTC', undefined, 'PERIOD') < readTo(period, 'UTC'))
    return { ...options, from: period, to: period };
  throw new UserError(`${period} is a moment.`, 'Give a period such as 2026-10, or --from and --to.', 2);
}

/** @throws UserError for options that only files for spreadsheets support */
export function requireFile({ format, lines, totals, locale, mail: mailTo }: ReportOptions): void {
  if (mailTo !== undefined && (lines || totals || format !== 'table'))
    throw new UserError('--mail has a form of its own', 'Leave out --lines, --totals and --format.', 2);
  if (mailTo !== undefined) return;
  const ofFile = totals ? '--totals' : locale === undefined ? undefined : '--locale';
  if (format !== 'csv' && !lines && ofFile !== undefined)
    throw new UserError(`${ofFile} is for CSV only`, 'Add --format csv.', 2);
  if (lines && (totals || (format !== 'csv' && format !== 'table')))
    throw new UserError('--lines prints CSV without totals', 'Leave out --totals, and --format.', 2);
}

/**
 * Reads the options of a report. Fiscal years differ between chains, so that each chain has a question of its own.
 * @returns a function that throws a UserError for a chain whose fiscal year is needed and not known
 * @throws UserError for options that are wrong for every chain
 */
export function readQuestion(
  options: ReportOptions,
  budgets: readonly ChainBudget[],
  nowUs: Micros,
): (chain: string) => ReportQuestion {
  const { from, to, by, timeZone, knownAt, pricesAsOf, fiscalYearStart } = options;
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    throw new UserError(
      `--time-zone is not a time zone: ${timeZone.slice(0, 60)}`,
      'Give an IANA name, such as Europe/Berlin.',
      2,
    );
  }
  // Reports a wrong time before the database is queried.
  if (from !== undefined) readFrom(from, 'UTC');
  if (to !== undefined) readTo(to, 'UTC');
  const isFiscal =
    by in FISCAL_SIZES || [from, to].some((time) => time !== undefined && isFiscalPeriod(time));
  if (fiscalYearStart !== undefined && !isFiscal) {
    throw new UserError(
      'No fiscal year is requested.',
      'Add --by fiscal-year, or a period such as FY2026, or leave out --fiscal-year-start.',
      2,
    );
  }
  const whole = {
    groupBy: options.groupBy,
    timeZone,
    knownAtUs: knownAt === undefined ? undefined : readReportMoment('--known-at', knownAt),
    pricesAsOfUs: pricesAsOf === undefined ? undefined : readReportMoment('--prices-as-of', pricesAsOf),
    nowUs,
    budgets,
  };
  return (chain) => {
    const yearStart = isFiscal ? (fiscalYearStart ?? findYearStart(budgets, chain)) : undefined;
    return {
      ...whole,
      yearStart,
      bucket: toBucket(by, yearStart),
      from: from === undefined ? undefined : (zone) => readFrom(from, zone, yearStart),
      to: to === undefined ? undefined : (zone) => readTo(to, zone, yearStart),
    };
  };
}

function toBucket(by: string, yearStart = 1): PlannedBucket {
  const fiscal = FISCAL_SIZES[by as keyof typeof FISCAL_SIZES] as 'QUARTER' | 'YEAR' | undefined;
  return fiscal ? { fiscal, yearStart } : (by.toUpperCase().replace('-', '_') as ReportBucket);
}

/** The calendar year would be a wrong answer without a sign of it, so that an unknown fiscal year is an error. */
function findYearStart(budgets: readonly ChainBudget[], chain: string): number {
  const [month, ...others] = fiscalYearStarts(budgets, chain);
  if (month !== undefined && others.length === 0) return month;
  const named = JSON.stringify(chain.slice(0, 60));
  if (month === undefined) {
    throw new UserError(
      `The settings have no fiscal year for chain ${named}.`,
      'Give the number of its first month, such as --fiscal-year-start 4, set fiscalYearStart in a budget of the settings, or choose chains with --chain.',
      2,
    );
  }
  throw new UserError(
    `Budgets of chain ${named} have fiscal years that begin with different months: ${[month, ...others].join(', ')}.`,
    `Choose one, such as --fiscal-year-start ${month}.`,
    2,
  );
}

export function readGroups(text: string): ReportGroup[] {
  const words = text.split(',').map((word) => word.trim().toLowerCase());
  const strange = words.find((word) => !GROUPS.includes(word));
  if (strange !== undefined) {
    throw new UserError(
      `--group-by does not know ${JSON.stringify(strange.slice(0, 60))}`,
      `It takes ${GROUPS.join(', ')}, separated by commas.`,
      2,
    );
  }
  return [...new Set(words)].map((word) => word.toUpperCase() as ReportGroup);
}
