/**
 * What a column of a file holds. `TEXT` can be from anybody; `WORD` is one of our own, without a quote or a backslash, `INT64` and `DECIMAL` are exact,
 * `TIME` has microseconds.
 */
export type ColumnKind = 'TEXT' | 'WORD' | 'INT64' | 'DECIMAL' | 'DOUBLE' | 'BOOL' | 'TIME';

/** A value of a file: text, an exact integer (of `TIME` Unix microseconds), the text of a decimal, a double, or a truth value. */
export type Cell = string | bigint | number | boolean | null;

/** A column of a file. */
export interface ExportColumn {
  /** As GraphQL has it, in snake_case and with its unit. */
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A column that SQL computes. */
export interface SqlColumn extends ExportColumn {
  readonly sql: string;
}

/** Columns of SQL by their names. */
export function sqlColumns(
  columns: Readonly<Record<string, readonly [kind: ColumnKind, sql: string]>>,
): readonly SqlColumn[] {
  return Object.entries(columns).map(([name, [kind, sql]]) => ({ name, kind, sql }));
}

/** How files can be written. */
export const EXPORT_FORMATS = ['csv', 'ndjson', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

/** Characters that a spreadsheet passes over before a formula. */
export const BLANKS =
  ' \v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/**
 * First characters, behind blanks, by which it takes a text for a formula, also in their full-width forms. In CSV an apostrophe goes
 * before such a text.
 */
export const FORMULA_STARTS = ['=', '+', '-', '@', '\t', '\r', '\n', '\uff1d', '\uff0b', '\uff0d', '\uff20'];

/** Separators at which a spreadsheet of another language begins a new field, also between quotes: there a formula may begin. */
const SEPARATORS = ',;\t\r\n|';

/** Characters of a formula's start that separate nothing themselves, for between the brackets of a pattern. */
const INNER_STARTS = FORMULA_STARTS.filter((start) => !SEPARATORS.includes(start) && start !== '-').join('');

/** A pattern of what stands before a formula behind a separator, and its first character. It is read alike here and by Postgres. */
export function innerFormula(delimiter: string): string {
  return `([${SEPARATORS.replace(delimiter, '')}]["${BLANKS}]*)([${INNER_STARTS}-])`;
}
