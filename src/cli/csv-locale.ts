import { toSpreadsheet } from '../api/export/row-writers.js';
import { stringify } from 'csv-stringify/sync';

/** Locale of the spreadsheet that opens the file: spreadsheets take separators from the language of the computer. */
export const CSV_LOCALES = ['en', 'de'] as const;
export type CsvLocale = (typeof CSV_LOCALES)[number];

export interface CsvColumn {
  readonly name: string;
  /** Its values are numbers, although exact numbers are texts. */
  readonly isNumber?: boolean;
}

/** The header line; for `de` after a byte order mark, from which Excel knows that the bytes are UTF-8. */
export function csvStart(columns: readonly CsvColumn[], locale: CsvLocale): string {
  const mark = locale === 'de' ? '\ufeff' : '';
  return mark + stringify([columns.map(({ name }) => name)], { delimiter: delimiterOf(locale) });
}

/** Rows as lines of CSV; `de`: separated by semicolons, with a comma in decimal numbers. */
export function csvRows(
  rows: readonly (readonly (string | number | boolean | null)[])[],
  columns: readonly CsvColumn[],
  locale: CsvLocale,
): string {
  const cells = rows.map((row) =>
    row.map((value, index) => {
      if (value === null) return null;
      if (!columns[index]?.isNumber) return toSpreadsheet(String(value), delimiterOf(locale));
      return locale === 'de' ? String(value).replace('.', ',') : String(value);
    }),
  );
  return stringify(cells, { delimiter: delimiterOf(locale) });
}

function delimiterOf(locale: CsvLocale): string {
  return locale === 'de' ? ';' : ',';
}
