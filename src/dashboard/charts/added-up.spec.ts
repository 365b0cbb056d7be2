import { addUp, type CostOfBucket } from './added-up.js';

const day = (n: number): string => `2026-03-0${n}T00:00:00.000Z`;
const at = (n: number): number => Date.parse(day(n)) / 1000;
const row = (n: number, least: number | null, most: number | null): CostOfBucket => ({
  time: day(n),
  submissionsFloat: least === null && most === null ? null : 5,
  feeMinFloat: least === null ? null : least * 1_000_000,
  feeMaxFloat: most === null ? null : most * 1_000_000,
  fiatMinFloat: least === null ? null : 2 * least,
  fiatMaxFloat: most === null ? null : 2 * most,
});
const ROWS = [row(1, 1, 2), row(2, 3, 3), row(3, null, null), row(4, null, null)];
const BUDGETS = [
  { rule: 'dear', amountFloat: 9, unit: 'TIA' },
  { rule: 'euros', amountFloat: 7, unit: 'EUR' },
];
const added = (given: Partial<Parameters<typeof addUp>[0]>) => {
  const { times, lines } = addUp({
    rows: ROWS,
    unit: 'TIA',
    budgets: BUDGETS,
    expectedUtia: 8_000_000,
    span: { fromMs: at(1) * 1000, toMs: at(5) * 1000 },
    nowMs: Date.parse('2026-03-02T12:00:00Z'),
    ...given,
  });
  return { times, lines: Object.fromEntries(lines.map(({ label, values }) => [label, values])) };
};

describe('the cost of a period so far', () => {
  it('is added up to now, and leads from there to the expected cost', () => {
    expect(added({})).toEqual({
      times: [at(1), at(2), at(2) + 43_200, at(5)],
      lines: {
        'Upper bound': [0, 2, 5, null],
        'Lower bound': [0, 1, 4, null],
        Forecast: [null, null, 4, 8],
        'Budget dear': [9, 9, 9, 9],
      },
    });
  });

  it('has no upper bound any more once a bucket is unknown', () => {
    expect(added({ nowMs: at(5) * 1000 + 1, expectedUtia: null }).lines).toMatchObject({
      'Upper bound': [0, 2, 5, null, null],
      'Lower bound': [0, 1, 4, 4, 4],
    });
  });

  it('is in the currency of a budget, which has no forecast', () => {
    const { lines } = added({ unit: 'EUR' });
    expect(Object.keys(lines)).toEqual(['Upper bound', 'Lower bound', 'Budget euros']);
    expect(lines['Upper bound']).toEqual([0, 4, 10, null]);
  });

  it('begins with the record', () => {
    const rows = [row(1, null, null), row(2, 1, 1), row(3, 1, 1)];
    expect(added({ rows, nowMs: at(3) * 1000 + 1, budgets: [], expectedUtia: null })).toEqual({
      times: [at(2), at(3), at(3) + 0.001, at(5)],
      lines: { 'Upper bound': [0, 1, 2, null], 'Lower bound': [0, 1, 2, null] },
    });
  });

  it('has no lower bound before the first known bucket, which is not free', () => {
    const rows = [row(1, 0, null), row(2, 0, null), row(3, 1, 1), row(4, null, null)];
    const { lines } = added({ rows, nowMs: at(5) * 1000 + 1, budgets: [] });
    expect(lines).toMatchObject({
      'Upper bound': [null, null, null, null, null],
      'Lower bound': [null, null, null, 1, 1],
    });
    const { lines: unknown } = added({ rows: rows.slice(0, 2), budgets: [], expectedUtia: null });
    expect(
      Object.values(unknown)
        .flat()
        .every((value) => value === null),
    ).toBe(true);
  });
});
