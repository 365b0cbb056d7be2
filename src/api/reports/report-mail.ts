import type { ReportMail } from '../../alerts/alerts-options.js';
import type { RequestedReport } from '../../domain/statistics/due-report.js';
import { toPrintable } from '../../domain/printable-text.js';
import { toRangeText } from '../../domain/statistics/period-text.js';
import { millisToMicros } from '../../domain/time.js';
import { UserError } from '../../platform/errors.js';
import type { Database } from '../../platform/sql.js';
import {
  readChainReport,
  type ChainReport,
  type ReportQuestion,
} from '../../statistics/read/cost/chain-report.reader.js';
import { getRecordedChains } from '../../statistics/read/plan/recorded-chains.query.js';
import type { CsvLocale } from '../export/row-writers.js';
import { escapeHtml } from '../pages/plain-page.js';
import { toReportCsv } from './report-csv.js';
import { noteReport } from './report-notes.js';
import { printReportTable } from './report-table.js';

/** Characters of a line; mail programs break longer ones. */
const WIDTH = 110;

/** Buckets of the rows: the days of a month, the months of a quarter. */
const BUCKETS = { MONTH: 'DAY', QUARTER: 'MONTH' } as const;

/**
 * The cost of a chain in a period, as a mail.
 * @throws UserError if nothing is known of the chain
 */
export async function readReportMail(
  dataSource: Database,
  chain: string,
  { by, from, to, locale }: RequestedReport,
  { nowUs, budgets }: Pick<ReportQuestion, 'nowUs' | 'budgets'>,
): Promise<ReportMail> {
  const known = await getRecordedChains(dataSource, nowUs);
  const recorded = known.find((one) => one.chain === chain);
  if (recorded === undefined)
    throw new UserError(`Nothing is recorded of chain ${chain}.`, 'List the chains with `hindsight status`.');
  const report = await readChainReport(dataSource, recorded, {
    bucket: BUCKETS[by],
    groupBy: [],
    from: () => millisToMicros(from),
    to: () => millisToMicros(to),
    timeZone: undefined,
    pricesAsOfUs: undefined,
    knownAtUs: undefined,
    nowUs,
    ...(budgets && { budgets }),
  });
  return toReportMail([report], locale);
}

/** Reports as a mail: tables with their notes as text, all rows and the totals as an attached file. */
export function toReportMail(reports: readonly ChainReport[], locale: CsvLocale): ReportMail {
  const plain = (_style: string, text: string): string => text;
  const text = reports
    .map((report) =>
      printReportTable(report, noteReport(report), {
        paint: plain,
        width: WIDTH,
        whole: 'The attached file',
      }),
    )
    .join('\n');
  const [first, ...others] = reports;
  const time = first?.range && toRangeText(first.range.fromUs, first.range.toUs, first.zone);
  const whose = others.length === 0 ? `chain ${first?.chain ?? '?'}` : `${reports.length} chains`;
  return {
    subject: toPrintable(`DA cost of ${whose}${time === undefined ? '' : `, ${time}`}`, 200),
    text,
    // Shown in columns only in a font whose characters are equally wide.
    html: `<pre>${escapeHtml(text)}</pre>`,
    file: {
      name: 'da-cost.csv',
      type: 'text/csv; charset=utf-8',
      content: toReportCsv(reports, { locale, totals: true }),
    },
    isCounted: reports.every(({ total }) => total.uncounted === 0),
  };
}
