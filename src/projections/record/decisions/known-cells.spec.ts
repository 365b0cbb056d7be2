import { SettledCells } from './known-cells.js';

describe('cells that the frontier need not look at', () => {
  it('are those of a chain that were settled when they were decided last', () => {
    const cells = new SettledCells();
    cells.note('one', 7n, true);
    expect([cells.has('one', 7n), cells.has('one', 8n), cells.has('two', 7n)]).toEqual([true, false, false]);
    cells.note('one', 7n, false);
    expect(cells.has('one', 7n)).toBe(false);
  });

  it('are forgotten all at once rather than held without bound', () => {
    const cells = new SettledCells(2);
    for (const daHeight of [1n, 2n, 2n, 3n]) cells.note('one', daHeight, true);
    expect([1n, 2n, 3n].map((daHeight) => cells.has('one', daHeight))).toEqual([false, false, true]);
  });
});
