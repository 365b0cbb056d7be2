import { toPrintable } from '../domain/printable-text.js';

/** UTF-16 units of a cell at most. */
const LONGEST_CELL = 500;

/**
 * Rows of cells as printable lines with the columns below each other, two spaces between them.
 *
 * @param isNumber of each column: whether its cells stand at the right; none when left out
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  isNumber: readonly boolean[] = [],
): string[] {
  const printable = rows.map((row) => row.map((cell) => toPrintable(cell, LONGEST_CELL)));
  const widths: number[] = [];
  for (const row of printable) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return printable.map((row) =>
    row
      .map((cell, index) => {
        const width = widths[index] ?? 0;
        return isNumber[index] === true ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
