import type { ChartProps } from './chart.js';

const MICRO = 1_000_000;

/** Bounds of a bucket's cost: in utia, and in a currency if there is a rate. Null is unknown. */
export interface CostOfBucket {
  readonly time: string;
  readonly feeMinFloat: number | null;
  readonly feeMaxFloat: number | null;
  readonly fiatMinFloat: number | null;
  readonly fiatMaxFloat: number | null;
}

export interface BudgetLine {
  readonly rule: string;
  readonly amountFloat: number;
  readonly unit: string;
}

/**
 * The cost of a period so far, its budgets, and its expected cost.
 * @param rows ascending
 * @param unit TIA, or the currency of the rates
 * @param expectedUtia at the end of the period, in utia; null when unknown
 */
export function addUp(given: {
  readonly rows: readonly CostOfBucket[];
  readonly unit: string;
  readonly budgets: readonly BudgetLine[];
  readonly expectedUtia: number | null;
  readonly span: ChartProps['span'];
  readonly nowMs: number;
}): Pick<ChartProps, 'times' | 'lines'> {
  const { rows, unit, budgets, expectedUtia, span, nowMs } = given;
  const past = rows.filter(({ time }) => Date.parse(time) < nowMs);
  const sumsOf = (pick: (row: CostOfBucket) => number | null): (number | null)[] => {
    let sum: number | null = 0;
    return past.map((row) => {
      const own = pick(row);
      // One unknown bucket makes the rest of the sum unknown.
      sum = sum === null || own === null ? null : sum + own;
      return sum;
    });
  };
  const inTia = (utia: number | null): number | null => (utia === null ? null : utia / MICRO);
  const isTia = unit === 'TIA';
  // An unknown bucket adds nothing to the lower bound.
  const least = sumsOf((row) => (isTia ? inTia(row.feeMinFloat) : row.fiatMinFloat) ?? 0);
  const most = sumsOf((row) => (isTia ? inTia(row.feeMaxFloat) : row.fiatMaxFloat));
  const ends = past.map((_, index) =>
    Math.min(Date.parse(past[index + 1]?.time ?? '') || nowMs, nowMs, span.toMs),
  );
  const isOver = (ends.at(-1) ?? 0) >= span.toMs;
  const times = [span.fromMs, ...ends, ...(isOver ? [] : [span.toMs])].map((ms) => ms / 1000);
  const along = (values: readonly (number | null)[]): (number | null)[] =>
    [0, ...values, ...(isOver ? [] : [null])].slice(0, times.length);
  const expected = isTia && !isOver ? inTia(expectedUtia) : null;
  const last = least.at(-1) ?? 0;
  return {
    times,
    lines: [
      { label: 'At most', colour: '--accent', values: along(most) },
      { label: 'At least', colour: '--quiet', values: along(least) },
      ...(expected === null
        ? []
        : [
            {
              label: 'Expected',
              colour: '--warning' as const,
              dashed: true,
              values: times.map((_, index) =>
                index === times.length - 1 ? expected : index === times.length - 2 ? last : null,
              ),
            },
          ]),
      ...budgets
        .filter((budget) => budget.unit === unit)
        .map(({ rule, amountFloat }) => ({
          label: `Budget of ${rule}`,
          colour: '--critical' as const,
          dashed: true,
          values: times.map(() => amountFloat),
        })),
    ],
  };
}
