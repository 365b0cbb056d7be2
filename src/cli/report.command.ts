import { type Command, InvalidArgumentError, Option } from 'commander';
import { budgetsOf } from '../domain/cost/budget.js';
import { millisToMicros, type Millis } from '../domain/time.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import { catchUp } from './catch-up.js';
import { CSV_LOCALES } from '../api/export/row-writers.js';
import { painter } from '../platform/paint.js';
import { withProgress } from './progress.js';
import { readChainReport, type ChainReport } from '../statistics/read/cost/chain-report.reader.js';
import { findMailbox, mailReports } from './report-mail.js';
import { noteUncounted } from '../api/reports/report-notes.js';
import { printReports, REPORT_FORMATS } from './report-formats.js';
import {
  GROUPS,
  PERIODS,
  readGroups,
  readQuestion,
  requireFile,
  withPeriod,
  type ReportOptions,
} from './report-question.js';
import { readSettings } from './setting-options.js';
import { addDatabaseOptions, withDatabase, type DatabaseContext } from './with-database.js';
import { requireKnownNames } from '../statistics/read/known-names.query.js';

/** How long to wait for what a running service computes. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 250;
/** How often to read a report again until everything in it is counted. */
const TRIES = 10;

/** `hindsight report`: the cost of the DA layer. Works with or without a running service. */
export function define(command: Command): void {
  command
    .description('print the cost of posting to the DA layer, and the basis of each figure')
    .argument(
      '[PERIOD]',
      'report this year, quarter, month or day; as --from and --to with the same value. FY2026 is the fiscal year that ends in 2026',
    )
    .option(
      '--chain <ID>',
      'report this chain; can be repeated; default: all chains',
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    )
    .option(
      '--from <TIME>',
      'start: a year, quarter, month, day (2026, 2026-Q1, 2026-01, 2026-01-31), fiscal year or its quarter (FY2026, FY2026-Q1) or time',
    )
    .option('--to <TIME>', 'end: the end of this year, quarter, month or day, or this time')
    .addOption(new Option('--by <PERIOD>', 'length of time of each row').choices(PERIODS).default('month'))
    .option(
      '--fiscal-year-start <MONTH>',
      "month with which fiscal years begin, 1 to 12; default: that of the chain's budgets in the settings; without one, fiscal years are refused",
      readMonth,
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

function readMonth(text: string): number {
  if (/^([1-9]|1[0-2])$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be the number of a month, 1 to 12.');
}

async function report(options: ReportOptions): Promise<void> {
  const clock = new SystemClock();
  const budgets = budgetsOf(readSettings(options).alerts.rules);
  const nowUs = millisToMicros(clock.now());
  const questionOf = readQuestion(options, budgets, nowUs);
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
    const known = await getRecordedChains(dataSource, nowUs);
    const requests = known
      .filter(({ chain }) => options.chain?.includes(chain) ?? true)
      .map((recorded) => ({ recorded, question: questionOf(recorded.chain) }));
    if (lines) {
      const { printReportLines } = await import('./report-lines.js');
      await printReportLines(dataSource, requests, locale);
      return { reports: undefined, notes: left === 0 ? [] : [`${left} quarter hours are not counted yet.`] };
    }
    for (let tries = 1; ; tries += 1) {
      const found: ChainReport[] = [];
      for (const { recorded, question } of requests)
        found.push(await readChainReport(dataSource, recorded, question));
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

/** @throws UserError if the printed report does not include everything that is recorded */
function requireCounted(notes: readonly string[]): void {
  if (notes.length === 0) return;
  throw new UserError(
    notes.join(' '),
    'Run the report again in a moment; `hindsight status` shows the progress of the service.',
  );
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
