import { Decimal } from '../domain/cost/decimal.js';
import { nextBucket } from '../domain/statistics/time-buckets.js';
import { formatTime, microsToNanos, type Micros } from '../domain/time.js';
import type { CostRowFigures, CostTotal } from '../statistics/read/cost/cost.reader.js';
import { COST_FIGURES, type CostFigureName } from '../statistics/read/figures.js';
import type { ReportGroup } from '../statistics/read/plan/report-request.js';
import type { CsvColumn } from './csv-locale.js';
import type { ChainReport } from './report-data.js';
import { toPeriodText } from './report-period.js';

/** A value of a report for machines: exact numbers as text, shares as numbers. */
export type ReportValue = string | number | boolean | null;

interface ReportColumn extends CsvColumn {
  readonly read: (row: CostRowFigures, report: ChainReport) => ReportValue;
}

const UTIA_PER_TIA = Decimal.of(1_000_000n);

/** Converts utia to TIA, with all six digits; null if unknown. */
export function toTia(utia: Decimal | null): string | null {
  if (utia === null) return null;
  const [whole = '0', decimals = ''] = utia.dividedBy(UTIA_PER_TIA, 6).toString().split('.');
  return `${whole}.${decimals.padEnd(6, '0')}`;
}

/** A moment in reports for machines, in milliseconds. */
export function toTime(us: Micros): string {
  return formatTime(microsToNanos(us), 3);
}

/** A figure of a row or total in reports for machines. */
export function toValue(name: CostFigureName, figures: CostRowFigures | CostTotal): ReportValue {
  const value = (figures as Partial<CostRowFigures>)[name] ?? null;
  if (value === null || typeof value === 'number') return value;
  return COST_FIGURES[name].unit === 'UTIA' ? toTia(value as Decimal) : String(value);
}

const FIGURES = (Object.keys(COST_FIGURES) as CostFigureName[]).flatMap((name): ReportColumn[] => {
  const figure = COST_FIGURES[name];
  const isNumber = figure.unit !== 'CURRENCY';
  return 'column' in figure ? [{ name: figure.column, isNumber, read: (row) => toValue(name, row) }] : [];
});

/** All columns of a report, under the names of CSV, JSON and Markdown. */
const COLUMNS: readonly ReportColumn[] = [
  { name: 'chain', read: (_row, { chain }) => chain },
  { name: 'period', read: ({ timeUs }, { bucket, zone }) => toPeriodText(timeUs, bucket, zone) },
  { name: 'from', read: ({ timeUs }) => toTime(timeUs) },
  { name: 'to', read: ({ timeUs }, { bucket, zone }) => toTime(nextBucket(timeUs, bucket, zone)) },
  { name: 'node', read: ({ node }) => node },
  { name: 'namespace', read: ({ namespace }) => namespace },
  { name: 'kind', read: ({ kind }) => kind },
  { name: 'status', read: ({ status }) => status },
  ...FIGURES,
  { name: 'coverage', isNumber: true, read: ({ coverage }) => coverage },
  { name: 'counted', read: ({ counted }) => counted },
];

/** Columns that are meaningful only if rows are grouped by this. */
const COLUMN_OF_GROUP: Readonly<Record<string, ReportGroup>> = {
  node: 'NODE',
  namespace: 'NAMESPACE',
  kind: 'KIND',
  status: 'STATUS',
};

/** The columns of a report, without those of groups that it is not grouped by. */
export function columnsOf({ groupBy }: Pick<ChainReport, 'groupBy'>): ReportColumn[] {
  return COLUMNS.filter(({ name }) => {
    const group = COLUMN_OF_GROUP[name];
    return group === undefined || groupBy.includes(group);
  });
}
