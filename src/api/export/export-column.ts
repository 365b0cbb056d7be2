import { Decimal } from '../../domain/cost/decimal.js';
import { nanosToMicros, type Nanos } from '../../domain/time.js';
import { columnNameOf } from '../../tables/columns.js';

/**
 * The kind of a column's values. `TEXT` can come from outside; `WORD` is one of our own words, without a quote or a backslash;
 * `INT64` and `DECIMAL` are exact; `TIME` has microseconds; `DATE` is a day without a zone, such as `2026-01-31`.
 */
export type ColumnKind = 'TEXT' | 'WORD' | 'INT64' | 'DECIMAL' | 'DOUBLE' | 'BOOL' | 'TIME' | 'DATE';

/** A value of a file: text, an exact integer (for `TIME`, Unix microseconds), the text of a decimal, a double, or a boolean. */
export type CellValue = string | bigint | number | boolean | null;

export interface ExportColumn {
  /** The name in GraphQL, in snake_case and with its unit. */
  readonly name: string;
  readonly kind: ColumnKind;
}

export interface SqlColumn extends ExportColumn {
  readonly sql: string;
}

/** A column whose cells are made here. */
export interface MadeColumn<Row> extends ExportColumn {
  readonly read: (row: Row) => CellValue;
}

/** The column of a property, named in snake_case. Its times are nanoseconds. @param unit suffix where the name has no unit */
export function propertyColumn<Row extends object>(
  property: keyof Row & string,
  kind: ColumnKind,
  unit = '',
): MadeColumn<Row> {
  return { name: `${columnNameOf(property)}${unit}`, kind, read: (row) => toCell(row[property], kind) };
}

/** Converts a value to a cell: exact decimals to text, values that were not read to null. */
function toCell(value: unknown, kind: ColumnKind): CellValue {
  if (value === null || value === undefined) return null;
  if (kind === 'TIME') return nanosToMicros(value as Nanos);
  return value instanceof Decimal ? value.toString() : (value as CellValue);
}

export function sqlColumns(
  columns: Readonly<Record<string, readonly [kind: ColumnKind, sql: string]>>,
): readonly SqlColumn[] {
  return Object.entries(columns).map(([name, [kind, sql]]) => ({ name, kind, sql }));
}

export const EXPORT_FORMATS = ['csv', 'ndjson', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

/** Blanks that a spreadsheet skips before a formula. */
export const BLANKS =
  ' \v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/**
 * Characters after which a spreadsheet takes a text for a formula when they come first (after blanks), including their full-width
 * forms. In CSV an apostrophe goes before such a text.
 */
export const FORMULA_STARTS = ['=', '+', '-', '@', '\t', '\r', '\n', '\uff1d', '\uff0b', '\uff0d', '\uff20'];

/** Separators at which a spreadsheet in another language begins a new field, even between quotes; a formula may begin there. */
const SEPARATORS = ',;\t\r\n|';

/** First characters of a formula that are no separators, for use between the brackets of a pattern. */
const INNER_STARTS = FORMULA_STARTS.filter((start) => !SEPARATORS.includes(start) && start !== '-').join('');

/**
 * A pattern for a separator and blanks before a formula, and the formula's first character. JavaScript and Postgres read it
 * alike.
 */
export function innerFormula(delimiter: string): string {
  return `([${SEPARATORS.replace(delimiter, '')}]["${BLANKS}]*)([${INNER_STARTS}-])`;
}
