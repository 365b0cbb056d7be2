import { stringify } from 'csv-stringify/sync';
import { formatTime, microsToNanos } from '../../domain/time.js';
import {
  BLANKS,
  type CellValue,
  type ColumnKind,
  type ExportColumn,
  FORMULA_STARTS,
  innerFormula,
} from './export-column.js';

/**
 * Matches texts that a spreadsheet would compute; between brackets, none of these characters has a meaning except for the minus.
 */
const FORMULA = new RegExp(`^[${BLANKS}]*[${FORMULA_STARTS.join('').replace('-', '\\-')}]`);

/**
 * Escapes a text with an apostrophe wherever a spreadsheet would compute it. `escape_formulas` of csv-stringify only checks the
 * first character, and would take exact numbers, which are texts, for formulas.
 * @param delimiter of the file: texts with the delimiter are quoted, so it does not separate
 */
function toSpreadsheet(text: string, delimiter: string): string {
  const escaped = text.replaceAll(new RegExp(innerFormula(delimiter), 'g'), "$1'$2");
  return FORMULA.test(text) ? `'${escaped}` : escaped;
}

/** Locale of the spreadsheet that opens a CSV: spreadsheets take separators from the language of the computer. */
export const CSV_LOCALES = ['en', 'de'] as const;
export type CsvLocale = (typeof CSV_LOCALES)[number];

/** Prints rows as CSV, in the same form as the database; `de`: separated by semicolons, with a comma in decimal numbers. */
export function toCsv(
  rows: readonly (readonly CellValue[])[],
  columns: readonly ExportColumn[],
  locale: CsvLocale = 'en',
): string {
  const cells = rows.map((row) =>
    row.map((cell, index) => toCsvCell(cell, columns[index]?.kind ?? 'TEXT', locale)),
  );
  return stringify(cells, { quoted_empty: false, quoted_match: /^$/, delimiter: delimiterOf(locale) });
}

/** The header line; for `de` after a byte order mark, from which Excel knows that the bytes are UTF-8. */
export function toCsvHeader(columns: readonly ExportColumn[], locale: CsvLocale = 'en'): string {
  const mark = locale === 'de' ? '\ufeff' : '';
  return mark + stringify([columns.map(({ name }) => name)], { delimiter: delimiterOf(locale) });
}

function delimiterOf(locale: CsvLocale): string {
  return locale === 'de' ? ';' : ',';
}

function toCsvCell(cell: CellValue, kind: ColumnKind, locale: CsvLocale): string | null {
  if (cell === null) return null;
  if (kind === 'TIME') return toIso(cell as bigint);
  const text = String(cell);
  if (kind === 'TEXT') return toSpreadsheet(text, delimiterOf(locale));
  return locale === 'de' && (kind === 'DECIMAL' || kind === 'DOUBLE') ? text.replace('.', ',') : text;
}

/** Prints rows as JSON, one per line. Exact numbers are JSON numbers with all their digits. */
export function toNdjson(rows: readonly (readonly CellValue[])[], columns: readonly ExportColumn[]): string {
  const names = columns.map(({ name }) => JSON.stringify(name));
  const lines = rows.map((row) => {
    const members = row.map(
      (cell, index) => `${names[index]}:${toJson(cell, columns[index]?.kind ?? 'TEXT')}`,
    );
    return `{${members.join(',')}}\n`;
  });
  return lines.join('');
}

function toJson(cell: CellValue, kind: ColumnKind): string {
  if (cell === null) return 'null';
  switch (kind) {
    case 'INT64':
    case 'DECIMAL':
    case 'DOUBLE':
    case 'BOOL':
      return String(cell);
    case 'TIME':
      return `"${toIso(cell as bigint)}"`;
    case 'TEXT':
    case 'WORD':
    case 'DATE':
      return JSON.stringify(cell);
    default:
      return kind satisfies never;
  }
}

function toIso(us: bigint): string {
  return formatTime(microsToNanos(us), 6);
}
