import { Decimal } from '../../domain/cost/decimal.js';
import {
  CONDITIONAL_SUMS,
  MEASURES,
  type BoundRule,
  type Measure,
  type Measured,
  type MeasureName,
  type Part,
  type Rule,
  type RuledName,
  type SumName,
} from './measures.js';
import { sumOf } from './plan/stored-rows.js';

export type Sums = Readonly<Partial<Record<SumName, bigint>>>;
type Value = bigint | number | Decimal | null;

const SUMS_OF_PARTS: Readonly<Partial<Record<Part, readonly SumName[]>>> = {
  fiat: ['costed'],
  kindShares: ['feeMax', 'gasMax', 'headerFeeMax', 'headerGasMax', 'dataFeeMax', 'dataGasMax'],
  unitCosts: ['costed', 'feeUnknown', 'feeMin', 'feeMax', 'unreadable', 'sizeBytes'],
  change: ['costed', 'feeUnknown', 'feeMax'],
  forecast: ['costed', 'feeUnknown', 'feeMax'],
};

/** The sums that measures are computed from, as SQL over stored rows `s`. */
export function sumColumnsOf(names: readonly MeasureName[]): Readonly<Record<string, string>> {
  // Every row has attempts, and a statement has to read something.
  const sums = new Set<SumName>(['attempts']);
  for (const name of names) {
    const measure: Measure & Partial<Record<'sum' | 'of' | 'unknown', SumName>> = MEASURES[name];
    const own = [
      measure.sum,
      measure.of,
      measure.unknown,
      isOfMoney(measure) ? 'costed' : undefined,
    ] as const;
    const ofPart = 'part' in measure ? (SUMS_OF_PARTS[measure.part] ?? []) : [];
    for (const sum of [...own, ...ofPart]) if (sum !== undefined) sums.add(sum);
  }
  return Object.fromEntries([...sums].map((name) => [name, toSql(name)]));
}

function toSql(name: SumName): string {
  if (!(name in CONDITIONAL_SUMS)) return sumOf(name);
  const [column, condition] = CONDITIONAL_SUMS[name as keyof typeof CONDITIONAL_SUMS];
  return `${sumOf(column)} FILTER (WHERE ${condition})`;
}

function isOfMoney({ unit }: Pick<Measure, 'unit'>): boolean {
  return unit === 'UTIA' || unit === 'GAS';
}

/** A sum or bound of the submissions of a row; null if not known, 0 without submissions. */
export function boundOf(measure: BoundRule, sums: Sums): bigint | null {
  const sum = sums[measure.sum] ?? 0n;
  if (measure.rule === 'SUM') return sum;
  const [of, unknown] = [sums[measure.of] ?? 0n, sums[measure.unknown] ?? 0n];
  if (of === 0n) return 0n;
  switch (measure.rule) {
    case 'LEAST':
      return of > unknown ? sum : null;
    case 'LEAST_OF_PART':
      return sum > 0n || unknown === 0n ? sum : null;
    case 'MOST':
      return unknown === 0n ? sum : null;
    default:
      return measure satisfies never;
  }
}

/** An amount of utia; null if not known. */
export function amountOf(name: 'feeMin' | 'feeMax' | 'failedFeeMax', sums: Sums): Decimal | null {
  const utia = boundOf(MEASURES[name], sums);
  return utia === null ? null : Decimal.of(utia);
}

function valueOf(measure: Rule & Pick<Measure, 'unit'>, sums: Sums): Value {
  if (measure.rule === 'SHARE' || measure.rule === 'QUOTIENT') {
    const [sum, of] = [sums[measure.sum] ?? 0n, sums[measure.of] ?? 0n];
    return measure.rule === 'QUOTIENT' && of === 0n ? null : shareOf(sum, of);
  }
  return toAmount(measure, boundOf(measure, sums));
}

function toAmount({ unit }: Pick<Measure, 'unit'>, value: bigint | null): Value {
  return unit === 'UTIA' && value !== null ? Decimal.of(value) : value;
}

/** Also the sum over those submissions whose fee is known. */
function isUpperBound(measure: Rule): boolean {
  return measure.rule === 'MOST' || (measure.rule === 'LEAST' && measure.sum === 'feeMax');
}

/**
 * Computes those measures that have a rule from the sums of a row. Null sums mean that nothing is known. If not everything is
 * counted, there are no upper bounds.
 *
 * @param isToldApart whether rows are grouped by namespace, kind or status. Rows of failed attempts alone then have no fee,
 * rather than a fee of 0, so that sums over rows equal a single row of them all
 */
export function measurer<Name extends MeasureName>(
  names: readonly Name[],
  isToldApart: boolean,
): (sums: Sums | null, isCounted: boolean) => Measured<Name & RuledName> {
  const rules = names.flatMap((name) => {
    const measure: Measure = MEASURES[name];
    if ('part' in measure) return [];
    const isOfSubmissions = isToldApart && isOfMoney(measure) && 'of' in measure && measure.of !== 'failed';
    return [{ name, measure, isUpper: isUpperBound(measure), isOfSubmissions }];
  });
  return (sums, isCounted) => {
    const values: Record<string, Value> = {};
    for (const { name, measure, isUpper, isOfSubmissions } of rules) {
      if (sums === null) values[name] = measure.unit === 'SHARE' ? 0 : null;
      else if ((isUpper && !isCounted) || (isOfSubmissions && sums.costed === 0n)) values[name] = null;
      else values[name] = valueOf(measure, sums);
    }
    return values as Measured<Name & RuledName>;
  };
}

/**
 * Sums, bounds and shares of several rows together, each by the rule of its rows.
 * @param isWhole false if nothing is known about some rows, or a part is not counted: then there are no upper bounds
 * @param isCounted false if a part of the recorded data is not counted
 */
export function totalsOf<Name extends RuledName>(
  names: readonly Name[],
  rows: readonly Sums[],
  { isWhole, isCounted }: { readonly isWhole: boolean; readonly isCounted: boolean },
): Measured<Name> {
  const values = names.map((name): [Name, Value] => {
    const measure: Rule & Pick<Measure, 'unit'> = MEASURES[name];
    if (measure.rule === 'SHARE' || measure.rule === 'QUOTIENT') {
      const weighed = rows.map((sums) => [valueOf(measure, sums), sums[measure.of] ?? 0n].map(Number));
      return [name, meanOf(weighed as [number, number][])];
    }
    if ((measure.rule === 'MOST' && !isWhole) || (isUpperBound(measure) && !isCounted)) return [name, null];
    return [name, toAmount(measure, totalOf(measure, rows))];
  });
  return Object.fromEntries(values) as Measured<Name>;
}

function totalOf(measure: BoundRule, rows: readonly Sums[]): bigint | null {
  const about = measure.rule === 'SUM' ? rows : rows.filter((sums) => (sums[measure.of] ?? 0n) > 0n);
  const bounds = about.map((sums) => boundOf(measure, sums));
  const known = bounds.filter((value) => value !== null);
  if (measure.rule === 'MOST' && known.length < bounds.length) return null;
  if (known.length === 0 && bounds.length > 0) return null;
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
