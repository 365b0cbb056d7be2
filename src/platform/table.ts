import { toPrintable } from '../domain/printable-text.js';
import type { Paint } from './paint.js';

/** Limit of UTF-16 units in a cell. */
const LONGEST_CELL = 500;

/** A column of a table: its title, and its value for a row. A unit is in the title, or in each cell. */
export interface Column<Row> {
  readonly title: string;
  readonly read: (row: Row) => string;
  /** Aligns its cells and its title to the right. */
  readonly isNumber?: boolean;
}

export interface TableStyle {
  /** Prefix of each line; empty if left out. */
  readonly indent?: string;
  /** Cells of a last line, which rules separate, like the head. */
  readonly total?: readonly string[];
  /** Makes the head and the total bold; not at all if left out. */
  readonly paint?: Paint;
}

/** Prints rows below the titles of their columns; every line ends in a line break. All cells are made printable. */
export function printTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { indent = '', total, paint = (_style, text) => text }: TableStyle = {},
): string {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ read }) => read(row))),
  ];
  const lines = alignCells(total === undefined ? cells : [...cells, total], {
    isNumber: columns.map(({ isNumber }) => isNumber ?? false),
  });
  const [head = '', ...body] = lines;
  const shown = [paint('bold', head), ...body];
  if (total !== undefined) {
    const rule = '─'.repeat(lines.reduce((longest, line) => Math.max(longest, line.length), 0));
    shown.splice(-1, 1, rule, paint('bold', body.at(-1) ?? ''));
    shown.splice(1, 0, rule);
  }
  return shown.map((line) => `${indent}${line}\n`).join('');
}

interface CellFormat {
  /** Whether to align a column's cells to the right; to the left if left out. */
  readonly isNumber?: readonly boolean[];
  /** Styles a printable, padded cell. */
  readonly paint?: (cell: string, column: number) => string;
  /** Limit of UTF-16 units in a cell. */
  readonly longest?: number;
}

/** Rows of cells as printable lines with aligned columns, two spaces between them; without titles. */
export function alignCells(
  rows: readonly (readonly string[])[],
  { isNumber = [], paint = (cell) => cell, longest = LONGEST_CELL }: CellFormat = {},
): string[] {
  const printable = rows.map((row) => row.map((cell) => toPrintable(cell, longest)));
  const widths: number[] = [];
  for (const row of printable) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return printable.map((row) => {
    const padded = row.map((cell, index) =>
      isNumber[index] === true ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
    );
    // No padding after the last cell.
    if (row.length > 0) padded[row.length - 1] = padded.at(-1)?.trimEnd() ?? '';
    return padded.map(paint).join('  ').trimEnd();
  });
}
