import type { Budget } from '../data/bill.js';
import { toTia, type Money } from '../data/words.js';
import type { ChartProps } from './chart-props.js';

/** Bounds of a bucket's cost: in utia, and in a currency if there is a rate. Null is unknown. */
export interface CostOfBucket extends Omit<Money, 'fiatUnit'> {
  readonly time: string;
  /** Null: nothing is recorded. */
  readonly submissionsFloat: number | null;
}

/** Whether nothing is known of the fees of a bucket: without an upper bound, a lower bound of 0 says nothing. */
export function isUnknown({ feeMinFloat, feeMaxFloat }: Pick<CostOfBucket, 'feeMinFloat' | 'feeMaxFloat'>) {
  return feeMaxFloat === null && !feeMinFloat;
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
  readonly budgets: readonly Budget[];
  readonly expectedUtia: number | null;
  readonly span: ChartProps['span'];
  readonly nowMs: number;
}): Pick<ChartProps, 'times' | 'lines'> {
  const { rows, unit, budgets, expectedUtia, span, nowMs } = given;
  // The record begins with the first bucket of which anything is recorded.
  const first = rows.findIndex(({ submissionsFloat }) => submissionsFloat !== null);
  const past = rows.slice(Math.max(0, first)).filter(({ time }) => Date.parse(time) < nowMs);
  const fromMs = Math.max(span.fromMs, first > 0 ? Date.parse(past[0]?.time ?? '') : 0);
  const sumsOf = (pick: (row: CostOfBucket) => number | null): (number | null)[] => {
    let sum: number | null = 0;
    return past.map((row) => {
      const own = pick(row);
      // One unknown bucket makes the rest of the sum unknown.
      sum = sum === null || own === null ? null : sum + own;
      return sum;
    });
  };
  const isTia = unit === 'TIA';
  const known = past.findIndex((row) => !isUnknown(row));
  // An unknown bucket adds nothing to the lower bound. Before the first known bucket there is none: 0 would read as free.
  const least = sumsOf((row) => (isTia ? toTia(row.feeMinFloat) : row.fiatMinFloat) ?? 0).map((sum, index) =>
    known === -1 || index < known ? null : sum,
  );
  const most = sumsOf((row) => (isTia ? toTia(row.feeMaxFloat) : row.fiatMaxFloat));
  const ends = past.map((_, index) =>
    Math.min(Date.parse(past[index + 1]?.time ?? '') || nowMs, nowMs, span.toMs),
  );
  const isOver = (ends.at(-1) ?? 0) >= span.toMs;
  const times = [fromMs, ...ends, ...(isOver ? [] : [span.toMs])].map((ms) => ms / 1000);
  const along = (values: readonly (number | null)[]): (number | null)[] =>
    [known === 0 ? 0 : null, ...values, ...(isOver ? [] : [null])].slice(0, times.length);
  const expected = isTia && !isOver ? toTia(expectedUtia) : null;
  const last = least.at(-1) ?? null;
  return {
    times,
    lines: [
      { label: 'Upper bound', colour: '--accent', values: along(most) },
      { label: 'Lower bound', colour: '--quiet', values: along(least) },
      ...(expected === null
        ? []
        : [
            {
              label: 'Forecast',
              colour: '--warning' as const,
              dashed: true,
              shown: times.map(() => expected),
              values: times.map((_, index) =>
                index === times.length - 1 ? expected : index === times.length - 2 ? last : null,
              ),
            },
          ]),
      ...budgets
        .filter((budget) => budget.unit === unit)
        .map(({ rule, amountFloat }) => ({
          label: `Budget ${rule}`,
          colour: '--critical' as const,
          dashed: true,
          values: times.map(() => amountFloat),
        })),
    ],
  };
}
