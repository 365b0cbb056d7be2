import { changeOf, isNewBalance, lineAfter, type BalanceLine, type ReportedBalance } from './balance-line.js';

type Step = readonly [node: string, seconds: number, amount: number | null, daHeight: number | null];

/** The changes of the rows that the balances make; undefined for a balance that is no row. */
function rowsOf(steps: readonly Step[]): (bigint | null | undefined)[] {
  let line: BalanceLine | undefined;
  return steps.map(([node, seconds, amount, daHeight]) => {
    const next: ReportedBalance = {
      node,
      observedAt: BigInt(seconds) * 1_000_000n,
      amount: amount === null ? null : BigInt(amount),
      daHeight: daHeight === null ? null : BigInt(daHeight),
    };
    if (!isNewBalance(line, next)) return undefined;
    const change = changeOf(line, next);
    line = lineAfter(line, next);
    return change;
  });
}

describe('the balances of an account', () => {
  it('are one row for each DA height, whichever node read it first', () => {
    const rows = rowsOf([
      ['a', 0, 100, 10],
      ['b', 1, 100, 10],
      ['b', 20, 90, 12],
      ['a', 21, 95, 11],
      ['a', 22, 90, 12],
      ['a', 40, 150, 14],
    ]);
    expect(rows).toEqual([null, undefined, -10n, undefined, undefined, 60n]);
  });

  it('are no row at an earlier height of a DA node that is stuck, however long it takes', () => {
    const rows = rowsOf([
      ['a', 0, 1_000, 99],
      ['a', 10, 900, 101],
      ['b', 900, 1_000, 99],
      ['a', 910, 880, 120],
    ]);
    expect(rows).toEqual([null, -100n, undefined, -20n]);
  });

  it('of unknown height count from one node at a time, until it is silent', () => {
    const rows = rowsOf([
      ['a', 0, 100, null],
      ['b', 1, 110, null],
      ['a', 20, 90, null],
      ['b', 700, 80, null],
    ]);
    expect(rows).toEqual([null, undefined, -10n, -10n]);
  });

  it('that could not be read begin one unknown time, and the next change is against the last known one', () => {
    const rows = rowsOf([
      ['a', 0, null, null],
      ['a', 20, 100, 10],
      ['b', 30, null, null],
      ['a', 40, null, null],
      ['a', 60, null, null],
      ['a', 80, 70, 13],
    ]);
    expect(rows).toEqual([null, null, undefined, null, undefined, -30n]);
  });

  it('continue where the DA chain began again at its first height', () => {
    expect(
      rowsOf([
        ['a', 0, 100, 10],
        ['a', 20, 500, 1],
      ]),
    ).toEqual([null, 400n]);
  });
});
