import type { FigureRule, StoredSum } from './figures.js';

type PartialSums = Readonly<Partial<Record<StoredSum, bigint>>>;
type SumRule = Exclude<FigureRule, { readonly rule: 'SHARE' }>;

/** The figure of a row, computed by a rule from its sums; null if not known, 0 without submissions. */
export function figureOf(figure: SumRule, sums: PartialSums): bigint | null {
  const sum = sums[figure.sum] ?? 0n;
  if (figure.rule === 'SUM') return sum;
  const [of, unknown] = [sums[figure.of] ?? 0n, sums[figure.unknown] ?? 0n];
  if (of === 0n) return 0n;
  switch (figure.rule) {
    case 'LEAST':
      return of > unknown ? sum : null;
    case 'LEAST_OF_PART':
      return sum > 0n || unknown === 0n ? sum : null;
    case 'MOST':
      return unknown === 0n ? sum : null;
    default:
      return figure satisfies never;
  }
}

/** The figure of several rows together, by the rule of each row's figure. */
export function totalOf(figure: SumRule, rows: readonly PartialSums[]): bigint | null {
  const about = figure.rule === 'SUM' ? rows : rows.filter((sums) => (sums[figure.of] ?? 0n) > 0n);
  const figures = about.map((sums) => figureOf(figure, sums));
  const known = figures.filter((value) => value !== null);
  if (figure.rule === 'MOST' && known.length < figures.length) return null;
  if (known.length === 0 && figures.length > 0) return null;
  return known.reduce((sum, value) => sum + value, 0n);
}

/** A part of a whole, from 0 to 1; 0 if the whole is 0. */
export function shareOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number(part) / Number(whole);
}

/** The mean of values by their weights; 0 if all weights are 0. */
export function meanOf(weighed: readonly (readonly [value: number, weight: number])[]): number {
  const whole = weighed.reduce((sum, [, weight]) => sum + weight, 0);
  return whole === 0 ? 0 : weighed.reduce((sum, [value, weight]) => sum + value * weight, 0) / whole;
}
