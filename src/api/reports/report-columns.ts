import { type Decimal, UTIA_PER_TIA } from '../../domain/cost/decimal.js';
import { nextBucket } from '../../domain/statistics/time-buckets.js';
import { formatTime, microsToNanos, type Micros } from '../../domain/time.js';
import type { CostTotal } from '../../statistics/read/cost/cost-figures.js';
import { COST_NAMES, MEASURES, type CostName } from '../../statistics/read/measures.js';
import type { ReportRow } from '../../statistics/read/report.reader.js';
import { columnNameOf } from '../../tables/columns.js';
import { REPORT_GROUPS } from '../../statistics/read/plan/report-request.js';
import type { ExportColumn } from '../export/export-column.js';
import type { ChainReport } from '../../statistics/read/cost/chain-report.reader.js';
import { toPeriodText } from '../../domain/statistics/period-text.js';

/** A value of a report for machines: exact numbers as text, shares as numbers. */
export type ReportValue = string | number | boolean | null;

interface ReportColumn extends ExportColumn {
  readonly read: (row: ReportRow<CostName>, report: ChainReport) => ReportValue;
  /** The moment, of a column of moments. */
  readonly readUs?: (row: ReportRow<CostName>, report: ChainReport) => Micros;
}

/** Converts utia to TIA, with all six digits. */
export function toTia(utia: Decimal): string {
  const [whole = '0', decimals = ''] = utia.dividedBy(UTIA_PER_TIA, 6).toString().split('.');
  return `${whole}.${decimals.padEnd(6, '0')}`;
}

/** A moment in reports for machines, in milliseconds. */
export function toTime(us: Micros): string {
  return formatTime(microsToNanos(us), 3);
}

/** A figure of a row or total in reports for machines. */
export function toValue(name: CostName, figures: ReportRow<CostName> | CostTotal): ReportValue {
  const value = (figures as Partial<ReportRow<CostName>>)[name] ?? null;
  if (value === null) return null;
  if (typeof value === 'number') return roundShare(value);
  return MEASURES[name].unit === 'UTIA' ? toTia(value as Decimal) : String(value);
}

/** Six digits. Only exact shares are 0 or 1. */
export function roundShare(share: number): number {
  const rounded = Math.round(share * 1e6) / 1e6;
  if (share > 0 && rounded <= 0) return 1e-6;
  return share < 1 && rounded >= 1 ? 1 - 1e-6 : rounded;
}

const text = (name: string, read: ReportColumn['read']): ReportColumn => ({ name, kind: 'TEXT', read });

const moment = (name: string, readUs: NonNullable<ReportColumn['readUs']>): ReportColumn => ({
  ...text(name, (...of) => toTime(readUs(...of))),
  readUs,
});

/** Measures without a column: their upper bounds say enough. */
const LEFT_OUT: readonly CostName[] = [
  ...(['knownFeeMax', 'feePerBlockMin', 'feePerTransactionMin', 'feePerMegabyteMin'] as const),
];

/** The column of a measure, in TIA where the measure is in utia. */
export function columnOf(name: CostName): string {
  return `${columnNameOf(name)}${MEASURES[name].unit === 'UTIA' ? '_tia' : ''}`;
}

const FIGURES = COST_NAMES.filter((name) => !LEFT_OUT.includes(name)).map((name): ReportColumn => {
  const kind = MEASURES[name].unit === 'CURRENCY' ? 'TEXT' : 'DECIMAL';
  return { name: columnOf(name), kind, read: (row) => toValue(name, row) };
});

/** All columns of a report, under the names of CSV, JSON and Markdown. */
const COLUMNS: readonly ReportColumn[] = [
  text('chain', (_row, { chain }) => chain),
  text('period', ({ timeUs }, { bucket, zone }) => toPeriodText(timeUs, bucket, zone)),
  moment('from', ({ timeUs }) => timeUs),
  moment('to', ({ timeUs }, { bucket, zone }) => nextBucket(timeUs, bucket, zone)),
  text('node', ({ node }) => node),
  text('namespace', ({ namespace }) => namespace),
  text('kind', ({ kind }) => kind),
  text('status', ({ status }) => status),
  ...FIGURES,
  { name: 'coverage', kind: 'DOUBLE', read: ({ coverage }) => roundShare(coverage) },
  { name: 'counted', kind: 'BOOL', read: ({ counted }) => counted },
  // Deprecated: the former name of size_bytes, for one version.
  { name: 'bytes', kind: 'DECIMAL', read: (row) => toValue('sizeBytes', row) },
];

/** The columns of a report, without those of groups that it is not grouped by. Each report has one chain. */
export function columnsOf({ groupBy }: Pick<ChainReport, 'groupBy'>): ReportColumn[] {
  const left = REPORT_GROUPS.filter((group) => group !== 'CHAIN' && !groupBy.includes(group));
  return COLUMNS.filter(({ name }) => !left.some((group) => group.toLowerCase() === name));
}
