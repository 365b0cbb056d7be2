import { type Command, Option } from 'commander';
import { budgetsOf } from '../domain/cost/budget.js';
import { isTimeZone } from '../domain/statistics/time-buckets.js';
import { millisToMicros, type Micros, type Millis } from '../domain/time.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import {
  STORED_BUCKETS,
  REPORT_GROUPS,
  type ReportBucket,
  type ReportGroup,
} from '../statistics/read/plan/report-request.js';
import { catchUp } from './catch-up.js';
import { CSV_LOCALES, type CsvLocale } from '../api/export/row-writers.js';
import { painter } from '../platform/paint.js';
import { withProgress } from './progress.js';
import {
  readChainReport,
  type ChainReport,
  type ReportQuestion,
} from '../statistics/read/cost/chain-report.reader.js';
import { findMailbox, mailReports } from './report-mail.js';
import { noteUncounted } from '../api/reports/report-notes.js';
import { printReports, REPORT_FORMATS, type ReportFormat } from './report-formats.js';
import { readFrom, readReportMoment, readTo } from './report-period.js';
import { readSettings, type SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase, type DatabaseContext } from './with-database.js';
import { requireKnownNames } from '../statistics/read/known-names.query.js';

interface ReportOptions extends SettingOptions {
  readonly chain?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly by: string;
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

/** How long to wait for what a running service computes. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 250;
/** How often to read a report again until everything in it is counted. */
const TRIES = 10;

/** Groups that can be named; chains are left out, because each has its own report. */
const GROUPS = REPORT_GROUPS.filter((group) => group !== 'CHAIN').map((group) => group.toLowerCase());

/** `hindsight report`: the cost of the DA layer. Works with or without a running service. */
export function define(command: Command): void {
  command
    .description('print the cost of posting to the DA layer, and the basis of each figure')
    .argument('[PERIOD]', 'report this year, quarter, month or day; as --from and --to with the same value')
    .option(
      '--chain <ID>',
      'report this chain; can be repeated; default: all chains',
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    )
    .option(
      '--from <TIME>',
      'start: a year, quarter, month, day (2026, 2026-Q1, 2026-01, 2026-01-31) or time',
    )
    .option('--to <TIME>', 'end: the end of this year, quarter, month or day, or this time')
    .addOption(
      new Option('--by <PERIOD>', 'length of time of each row')
        .choices(STORED_BUCKETS.map((bucket) => bucket.toLowerCase().replace('_', '-')))
        .default('month'),
    )
    .addOption(new Option('--format <FORMAT>', 'output format').choices(REPORT_FORMATS).default('table'))
    .option('--time-zone <ZONE>', "time zone of the days, like Europe/Berlin; default: the chain's own")
    .addOption(
      new Option('--group-by <LIST>', `rows for each ${GROUPS.join(', ')}`)
        .argParser(readGroups)
        .default([], 'none'),
    )
    .option('--known-at <TIME>', 'use only what was known at this time, like 2026-03-01T00:00:00Z')
    .option('--prices-as-of <TIME>', 'use the prices of this time for the whole report')
    .option('--lines', 'print each submission behind the totals, as CSV')
    .option('--totals', 'with --format csv: add the total of each chain after its rows')
    .addOption(
      new Option(
        '--locale <LOCALE>',
        'locale of CSV; de: fields separated by ;, with a decimal comma',
      ).choices(CSV_LOCALES),
    )
    .option(
      '--mail <DESTINATION>',
      'send it by mail, to a destination of the settings, instead of printing it',
    );
  addDatabaseOptions(command).action((period: string | undefined, options: ReportOptions) =>
    report(withPeriod(period, options)),
  );
}

async function report(options: ReportOptions): Promise<void> {
  const clock = new SystemClock();
  const budgets = budgetsOf(readSettings(options).alerts.rules);
  const question = { ...readQuestion(options, millisToMicros(clock.now())), budgets };
  requireFile(options);
  const mailTo = options.mail === undefined ? undefined : findMailbox(options.mail, options);
  const { lines = false, totals = false, locale = 'en' } = options;
  const { reports, notes } = await withDatabase(options, async (context) => {
    const { dataSource } = context;
    await catchUp(context);
    const patientTo = clock.monotonic() + PATIENCE_MS;
    const left = await settle(context, clock, patientTo);
    const { getRecordedChains } = await import('../statistics/read/plan/recorded-chains.query.js');
    await requireKnownNames(dataSource, { chains: options.chain });
    const known = await getRecordedChains(dataSource, question.nowUs);
    const chains = known.filter(({ chain }) => options.chain?.includes(chain) ?? true);
    if (lines) {
      const { printReportLines } = await import('./report-lines.js');
      await printReportLines(dataSource, chains, question, locale);
      return { reports: undefined, notes: left === 0 ? [] : [`${left} quarter hours are not counted yet.`] };
    }
    for (let tries = 1; ; tries += 1) {
      const found: ChainReport[] = [];
      for (const chain of chains) found.push(await readChainReport(dataSource, chain, question));
      const notCounted = found.flatMap((each) => noteUncounted(each) ?? []);
      context.signal.throwIfAborted();
      if (notCounted.length === 0 || tries >= TRIES) return { reports: found, notes: notCounted };
      // With a running service, new events may have come meanwhile.
      await settle(context, clock, patientTo);
    }
  });
  if (reports === undefined) return requireCounted(notes);
  if (mailTo !== undefined) {
    requireCounted(notes);
    return mailReports(mailTo, reports, locale, clock.now());
  }
  if (reports.length === 0 && options.format === 'table') {
    process.stdout.write('Nothing is recorded yet.\n');
    return;
  }
  process.stdout.write(
    printReports(reports, options.format, painter(), { locale, totals, width: process.stdout.columns }),
  );
  requireCounted(notes);
}

/** The options with a period as `--from` and `--to`. @throws UserError if these are given as well */
function withPeriod(period: string | undefined, options: ReportOptions): ReportOptions {
  if (period === undefined) return options;
  if (options.from !== undefined || options.to !== undefined)
    throw new UserError('A period is a time of its own.', 'Leave out --from and --to.', 2);
  if (readFrom(period, 'UTC') < readTo(period, 'UTC')) return { ...options, from: period, to: period };
  throw new UserError(`${period} is a moment.`, 'Give a period such as 2026-10, or --from and --to.', 2);
}

/** @throws UserError if the printed report does not include everything that is recorded */
function requireCounted(notes: readonly string[]): void {
  if (notes.length === 0) return;
  throw new UserError(
    notes.join(' '),
    'Run the report again in a moment; `hindsight status` shows the progress of the service.',
  );
}

/** @throws UserError for options that only files for spreadsheets support */
function requireFile({ format, lines, totals, locale, mail: mailTo }: ReportOptions): void {
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
 * Waits until everything recorded by now is in the statistics: a running service may be computing a part of it.
 * @returns number of quarter hours, of nodes and chains, that were not counted within the time
 */
async function settle(
  { dataSource, signal }: DatabaseContext,
  clock: SystemClock,
  patientTo: Millis,
): Promise<number> {
  const { RollUp } = await import('../statistics/roll-up/roll-up.js');
  const { countMarks } = await import('../statistics/roll-up/marks.js');
  const [row] = await dataSource.query<{ now: string }[]>('SELECT clock_timestamp()::text AS now');
  return withProgress('report', 'quarter hours', async (progress) => {
    progress.show('computing statistics');
    for (;;) {
      await new RollUp(dataSource).run(() => !signal.aborted);
      const left = await countMarks(dataSource, row?.now ?? 'infinity');
      signal.throwIfAborted();
      if (left === 0 || clock.monotonic() >= patientTo) return left;
      progress.show(`waiting for the service: ${left} quarter hours to compute`);
      await clock.sleep(PAUSE_MS, signal);
    }
  });
}

function readQuestion(options: ReportOptions, nowUs: Micros): ReportQuestion {
  const { from, to, timeZone, knownAt, pricesAsOf } = options;
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
  return {
    bucket: options.by.toUpperCase().replace('-', '_') as ReportBucket,
    groupBy: options.groupBy,
    from: from === undefined ? undefined : (zone) => readFrom(from, zone),
    to: to === undefined ? undefined : (zone) => readTo(to, zone),
    timeZone,
    knownAtUs: knownAt === undefined ? undefined : readReportMoment('--known-at', knownAt),
    pricesAsOfUs: pricesAsOf === undefined ? undefined : readReportMoment('--prices-as-of', pricesAsOf),
    nowUs,
  };
}

function readGroups(text: string): ReportGroup[] {
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
