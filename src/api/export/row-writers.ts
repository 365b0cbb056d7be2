import { stringify } from 'csv-stringify/sync';
import { formatTime, microsToNanos } from '../../domain/time.js';
import {
  BLANKS,
  type Cell,
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
export function toSpreadsheet(text: string, delimiter = ','): string {
  const escaped = text.replaceAll(new RegExp(innerFormula(delimiter), 'g'), "$1'$2");
  return FORMULA.test(text) ? `'${escaped}` : escaped;
}

/** Prints rows as CSV, in the same form as the database. */
export function toCsv(rows: readonly (readonly Cell[])[], columns: readonly ExportColumn[]): string {
  const cells = rows.map((row) => row.map((cell, index) => toCsvCell(cell, columns[index]?.kind ?? 'TEXT')));
  return stringify(cells, { quoted_empty: false, quoted_match: /^$/ });
}

/** The header line. */
export function toCsvHeader(columns: readonly ExportColumn[]): string {
  return stringify([columns.map(({ name }) => name)]);
}

function toCsvCell(cell: Cell, kind: ColumnKind): string | null {
  if (cell === null) return null;
  if (kind === 'TIME') return toIso(cell as bigint);
  const text = String(cell);
  return kind === 'TEXT' ? toSpreadsheet(text) : text;
}

/** Prints rows as JSON, one per line. Exact numbers are JSON numbers with all their digits. */
export function toNdjson(rows: readonly (readonly Cell[])[], columns: readonly ExportColumn[]): string {
  const names = columns.map(({ name }) => JSON.stringify(name));
  const lines = rows.map((row) => {
    const members = row.map(
      (cell, index) => `${names[index]}:${toJson(cell, columns[index]?.kind ?? 'TEXT')}`,
    );
    return `{${members.join(',')}}\n`;
  });
  return lines.join('');
}

function toJson(cell: Cell, kind: ColumnKind): string {
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
      return JSON.stringify(cell);
    default:
      return kind satisfies never;
  }
}

function toIso(us: bigint): string {
  return formatTime(microsToNanos(us), 6);
}
