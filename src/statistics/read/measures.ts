import type { Decimal } from '../../domain/cost/decimal.js';
import type { StatisticSum } from '../roll-up/statistic.js';

/** Sums over some of the stored rows: the column, and the condition for its rows `s`. */
export const CONDITIONAL_SUMS = {
  successes: ['attempts', 's.status = 0'],
  failures: ['attempts', 's.status <> 0'],
  headerGasMax: ['gasMax', 's.kind = 0'],
  headerFeeMax: ['feeMax', 's.kind = 0'],
  dataGasMax: ['gasMax', 's.kind = 1'],
  dataFeeMax: ['feeMax', 's.kind = 1'],
} as const satisfies Readonly<Record<string, readonly [StatisticSum, string]>>;

export type SumName = StatisticSum | keyof typeof CONDITIONAL_SUMS;

/**
 * The computation of a measure from stored sums. Null means not known. Without submissions each measure is 0.
 *
 * - SUM: the sum.
 * - LEAST: the sum of what is known of the submissions, which is never more than the truth; null if nothing is known.
 * - LEAST_OF_PART: the same, if the submissions about which nothing is known may be others.
 * - MOST: the sum; null as soon as one submission is missing in it, because then there is no upper bound.
 */
export type BoundRule =
  | { readonly rule: 'SUM'; readonly sum: SumName }
  | {
      readonly rule: 'LEAST' | 'LEAST_OF_PART' | 'MOST';
      readonly sum: SumName;
      /** Number of submissions that the measure covers. */
      readonly of: SumName;
      /** Number of submissions without a known value. */
      readonly unknown: SumName;
    };

/**
 * - SHARE: the sum as a part of another sum, from 0 to 1; 0 if the other sum is 0, and if nothing is known.
 * - QUOTIENT: the sum divided by another sum; null if that is 0.
 */
export type Rule =
  | BoundRule
  | { readonly rule: 'SHARE'; readonly sum: SumName; readonly of: SumName }
  | { readonly rule: 'QUOTIENT'; readonly sum: SumName; readonly of: SumName };

/** A distribution, merged from sketches: percentiles are off by 0.9 % at most; the greatest value and the count are exact. */
export interface SketchSummary {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  readonly count: bigint;
}

/** Types of values by unit; null means not known. Prices are exact decimals as text, in utia per gas. */
interface Values {
  readonly COUNT: bigint | null;
  readonly GAPS: number | null;
  readonly GAS: bigint | null;
  readonly UTIA: Decimal | null;
  readonly FIAT: Decimal | null;
  readonly CURRENCY: string | null;
  readonly PRICE: string | null;
  readonly RATIO: number | null;
  readonly SHARE: number;
  readonly DISTRIBUTION: SketchSummary | null;
}
export type Unit = keyof Values;

/** Measures that are read together, only on request. */
export type Part =
  | ('blocks' | 'ends' | 'fiat' | 'kindShares' | 'lagMs' | 'submissionMs' | 'blobBytes')
  | ('gasPrices' | 'losses' | 'unitCosts' | 'change' | 'forecast');

/** A measure has a rule, or belongs to a part. */
export type Measure = { readonly unit: Unit } & (Rule | { readonly rule?: undefined; readonly part: Part });

const BY_GAS = { of: 'costed', unknown: 'gasUnknown' } as const;
const BY_FEE = { of: 'costed', unknown: 'feeUnknown' } as const;
const WASTED = { of: 'unreferenced', unknown: 'feeUnknown' } as const;

type Count<Sum extends SumName> = { readonly unit: 'COUNT'; readonly rule: 'SUM'; readonly sum: Sum };
type Of<U extends Unit, P extends Part> = { readonly unit: U; readonly part: P };

function count<Sum extends SumName>(sum: Sum): Count<Sum> {
  return { unit: 'COUNT', rule: 'SUM', sum };
}

function counts<Sum extends SumName>(...sums: Sum[]): { readonly [Name in Sum]: Count<Name> } {
  return Object.fromEntries(sums.map((sum) => [sum, count(sum)])) as { [Name in Sum]: Count<Name> };
}

function part<U extends Unit, P extends Part, N extends string>(
  of: Of<U, P>,
  ...names: N[]
): Readonly<Record<N, Of<U, P>>> {
  return Object.fromEntries(names.map((name) => [name, of])) as Record<N, Of<U, P>>;
}

const OF_STATISTICS = {
  ...counts('attempts', 'successes', 'failures'),
  successRate: { unit: 'RATIO', rule: 'QUOTIENT', sum: 'successes', of: 'attempts' },
  ...counts('reconstructed', 'landed', 'unreferenced', 'unreadable', 'blobCount', 'sizeBytes'),
  averageBlobBytes: { unit: 'RATIO', rule: 'QUOTIENT', sum: 'measuredBytes', of: 'measuredBlobs' },
  blobBytes: { unit: 'DISTRIBUTION', part: 'blobBytes' },
  sharesMin: { unit: 'COUNT', rule: 'LEAST', sum: 'sharesMin', ...BY_GAS },
  sharesMax: { unit: 'COUNT', rule: 'MOST', sum: 'sharesMax', ...BY_GAS },
  reconstructedShares: count('reconstructedShares'),
  ...part(
    { unit: 'PRICE', part: 'gasPrices' },
    ...(['gasPriceMin', 'gasPriceMean', 'gasPriceMax', 'gasPriceLast'] as const),
  ),
  inclusionLagMs: { unit: 'DISTRIBUTION', part: 'lagMs' },
  submissionTimeMs: { unit: 'DISTRIBUTION', part: 'submissionMs' },
  /** Blocks whose time lies in the bucket. */
  ...part(
    { unit: 'COUNT', part: 'blocks' },
    ...(['blocksProduced', 'blocksIncluded', 'transactions', 'transactionsIncluded'] as const),
    ...(['transactionBytes', 'transactionBytesIncluded'] as const),
  ),
  ...part({ unit: 'COUNT', part: 'ends' }, 'pendingAtEnd', 'inclusionFrontierAtEnd'),
  ...part({ unit: 'GAPS', part: 'losses' }, 'holes'),
  ...part({ unit: 'COUNT', part: 'losses' }, 'provenLost', 'likelyLost'),
  undecided: count('undecided'),
  /** How many blocks the sums of blocks may lack. */
  blocksMissing: { unit: 'COUNT', part: 'blocks' },
} as const satisfies Readonly<Record<string, Measure>>;

/** Sums that clients of several rows add up. */
const SUMMANDS = {
  ...counts('measuredBlobs', 'measuredBytes'),
  ...counts('lagCount', 'lagSumNs', 'submissionCount', 'submissionSumUs'),
} as const;

const OF_COST = {
  submissions: count('costed'),
  ...counts('landed', 'sizeBytes', 'unreadable'),
  gasMin: { unit: 'GAS', rule: 'LEAST', sum: 'gasMin', ...BY_GAS },
  gasMax: { unit: 'GAS', rule: 'MOST', sum: 'gasMax', ...BY_GAS },
  feeMin: { unit: 'UTIA', rule: 'LEAST', sum: 'feeMin', ...BY_FEE },
  feeMax: { unit: 'UTIA', rule: 'MOST', sum: 'feeMax', ...BY_FEE },
  /** The upper bound for submissions whose fee is known; their lower bound is feeMin. */
  knownFeeMax: { unit: 'UTIA', rule: 'LEAST', sum: 'feeMax', ...BY_FEE },
  ...part({ unit: 'FIAT', part: 'fiat' }, 'fiatMin', 'fiatMax'),
  /** Null without a rate, and with rates of several currencies. Without submissions it is null, and the fiat fees are 0. */
  fiatUnit: { unit: 'CURRENCY', part: 'fiat' },
  importedShare: { unit: 'SHARE', rule: 'SHARE', sum: 'imported', of: 'costed' },
  recordedShare: { unit: 'SHARE', rule: 'SHARE', sum: 'recorded', of: 'costed' },
  pricedShare: { unit: 'SHARE', rule: 'SHARE', sum: 'priced', of: 'costed' },
  unknownShare: { unit: 'SHARE', rule: 'SHARE', sum: 'feeUnknown', of: 'costed' },
  failedAttempts: count('failed'),
  failedFeeMax: { unit: 'UTIA', rule: 'MOST', sum: 'failedFeeMax', of: 'failed', unknown: 'failedUnknown' },
  unreferenced: count('unreferenced'),
  wastedFeeMin: { unit: 'UTIA', rule: 'LEAST_OF_PART', sum: 'wastedFeeMin', ...WASTED },
  wastedFeeMax: { unit: 'UTIA', rule: 'MOST', sum: 'wastedFeeMax', ...WASTED },
  ...part({ unit: 'RATIO', part: 'kindShares' }, 'headerShare', 'dataShare'),
  /**
   * Fees per unit; null if the fee or the number is not known, or the number is zero. Per block of the bucket whose header and
   * data are included, per transaction of these blocks, and per million bytes of blobs.
   */
  ...part(
    { unit: 'UTIA', part: 'unitCosts' },
    ...(['feePerBlockMin', 'feePerBlockMax', 'feePerTransactionMin', 'feePerTransactionMax'] as const),
    ...(['feePerMegabyteMin', 'feePerMegabyteMax'] as const),
  ),
  /** Relative change of feeMax from the previous bucket; null if either is unknown or not whole. */
  changeToPrevious: { unit: 'RATIO', part: 'change' },
  /** Projected cost of the current month; null in rows of other months, and if too little is known. */
  ...part({ unit: 'UTIA', part: 'forecast' }, 'forecastLow', 'forecastExpected', 'forecastHigh'),
} as const satisfies Readonly<Record<string, Measure>>;

/** Everything that a report can have in a row. */
export const MEASURES = { ...OF_STATISTICS, ...SUMMANDS, ...OF_COST } as const;

type Table = typeof MEASURES;
export type MeasureName = keyof Table;
export type StatisticsName = keyof typeof OF_STATISTICS;
export type CostName = keyof typeof OF_COST;
export type RuledName = { [Name in MeasureName]: Table[Name] extends Rule ? Name : never }[MeasureName];
type NameOf<P extends Part> = {
  [Name in MeasureName]: Table[Name] extends { readonly part: P } ? Name : never;
}[MeasureName];

export type Measured<Name extends MeasureName> = {
  readonly [Each in Name]: Values[Table[Each]['unit']];
};
export type MeasuredBy<P extends Part> = Measured<NameOf<P>>;

/** In the order of columns in files, as are {@link COST_NAMES}. */
export const STATISTICS_NAMES = Object.keys(OF_STATISTICS) as StatisticsName[];
export const COST_NAMES = Object.keys(OF_COST) as CostName[];
type OwnCostName = Exclude<CostName, NameOf<'unitCosts' | 'change' | 'forecast'>>;
/** The cost of a row's own submissions alone. */
export const OWN_COST_NAMES = COST_NAMES.filter((name): name is OwnCostName =>
  [undefined, 'fiat', 'kindShares'].includes(partOf(name)),
);

/** Whether only reports of cost have a measure. */
export function isOfCost(name: MeasureName): boolean {
  return name in OF_COST && !(name in OF_STATISTICS);
}

/** Whether reports of cost lack a measure. */
export function isOfStatistics(name: MeasureName): boolean {
  return !(name in OF_COST);
}

export function partOf(name: MeasureName): Part | undefined {
  const measure: Measure = MEASURES[name];
  return 'part' in measure ? measure.part : undefined;
}
