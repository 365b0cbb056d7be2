import { toPrintable } from '../domain/printable-text.js';
import type { Paint } from './paint.js';

/** UTF-16 units of a cell at most. */
const LONGEST_CELL = 500;

/** A column of a table: its title, and what it shows of a row. A unit stands in the title, or in each cell. */
export interface Column<Row> {
  readonly title: string;
  readonly read: (row: Row) => string;
  /** Its cells stand at the right, its title too. */
  readonly isNumber?: boolean;
}

/** How a table is printed, where not as usual. */
export interface TableStyle {
  /** What stands before each line; nothing when left out. */
  readonly indent?: string;
  /** Cells of a last line, which is set apart by rules, as is the head. */
  readonly total?: readonly string[];
  /** How the head and the total are made bold; not at all when left out. */
  readonly paint?: Paint;
}

/** Prints rows below the titles of their columns, each line with its end. All cells are made printable. */
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

/** How cells are put below each other, where not as usual. */
interface Alignment {
  /** Of each column: whether its cells stand at the right; none when left out. */
  readonly isNumber?: readonly boolean[];
  /** Gives a printable, padded cell a style. */
  readonly paint?: (cell: string, column: number) => string;
  /** UTF-16 units of a cell at most. */
  readonly longest?: number;
}

/** Rows of cells as printable lines with the columns below each other, two spaces between them: for what has no titles. */
export function alignCells(
  rows: readonly (readonly string[])[],
  { isNumber = [], paint = (cell) => cell, longest = LONGEST_CELL }: Alignment = {},
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
    // Nothing follows the last cell.
    if (row.length > 0) padded[row.length - 1] = padded.at(-1)?.trimEnd() ?? '';
    return padded.map(paint).join('  ').trimEnd();
  });
}
