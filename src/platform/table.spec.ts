import type { Paint } from './paint.js';
import { alignCells, printTable, type Column } from './table.js';

interface Row {
  readonly name: string;
  readonly bytes: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Name', read: ({ name }) => name },
  { title: 'Size', isNumber: true, read: ({ bytes }) => `${bytes} B` },
];
const ROWS = [
  { name: 'alpha', bytes: 7 },
  { name: 'b', bytes: 1_200 },
];
const mark: Paint = (style, text) => `<${style}>${text}</>`;

describe('a table', () => {
  it('has titles, names at the left and numbers with their units at the right', () => {
    expect(printTable(COLUMNS, ROWS)).toBe('Name     Size\nalpha     7 B\nb      1200 B\n');
  });

  it('ends no line with spaces, and is indented as requested', () => {
    const columns = COLUMNS.toReversed();
    expect(printTable(columns, ROWS, { indent: '  ' })).toBe(
      '    Size  Name\n     7 B  alpha\n  1200 B  b\n',
    );
  });

  it('separates the total, and does not count colours as width', () => {
    expect(printTable(COLUMNS, ROWS, { total: ['Total', '1207 B'], paint: mark })).toBe(
      '<bold>Name     Size</>\n─────────────\nalpha     7 B\nb      1200 B\n─────────────\n<bold>Total  1207 B</>\n',
    );
  });

  it('is only its head without rows', () => {
    expect(printTable(COLUMNS, [])).toBe('Name  Size\n');
  });

  it('prints nothing that a terminal obeys, whatever the names in a row', () => {
    const rows = [{ name: 'x\u001b[2J\n\u202ey', bytes: 1 }];
    expect(printTable(COLUMNS, rows)).toBe('Name      Size\nx?[2J ?y   1 B\n');
  });
});

describe('cells without titles', () => {
  it('may be of rows of different lengths', () => {
    expect(alignCells([['a', 'long one', 'x'], ['bb', ''], []])).toEqual(['a   long one  x', 'bb', '']);
  });

  it('are cut where they are too long', () => {
    expect(alignCells([['abcdef', 'b']], { longest: 4 })).toEqual(['abc…  b']);
  });

  it('are coloured together with the spaces behind them', () => {
    const paint = (cell: string, column: number): string => (column === 0 ? mark('dim', cell) : cell);
    const rows = [
      ['a', '1'],
      ['bbb', '2'],
    ];
    expect(alignCells(rows, { paint })).toEqual(['<dim>a  </>  1', '<dim>bbb</>  2']);
  });
});
