import type { Decimal } from '../../domain/cost/decimal.js';
import type { BlockStatisticEntity } from '../../tables/statistics.entities.js';
import { STATISTIC_SUMS } from '../roll-up/statistic.js';

/** A column of `statistic` that is added up. */
export type StoredSum = (typeof STATISTIC_SUMS)[number];

/**
 * The computation of a figure from stored sums. Null means not known. Without submissions each figure is 0.
 *
 * - SUM: the sum.
 * - LEAST: the sum of what is known of the submissions, which is never more than the truth; null if nothing is known.
 * - LEAST_OF_PART: the same, if the submissions about which nothing is known may be others.
 * - MOST: the sum; null as soon as one submission is missing in it, because then there is no upper bound.
 * - SHARE: the sum as a part of another sum, from 0 to 1; 0 if the other sum is 0.
 */
export type FigureRule =
  | { readonly rule: 'SUM'; readonly sum: StoredSum }
  | { readonly rule: 'SHARE'; readonly sum: StoredSum; readonly of: StoredSum }
  | {
      readonly rule: 'LEAST' | 'LEAST_OF_PART' | 'MOST';
      readonly sum: StoredSum;
      /** Number of submissions that the figure covers. */
      readonly of: StoredSum;
      /** Number of submissions without a known value. */
      readonly unknown: StoredSum;
    };

export type SumsOf<Rule> = Readonly<Record<NamesIn<Rule>, bigint>>;
type NamesIn<Rule> = Rule extends unknown ? Extract<Rule[keyof Rule], StoredSum> : never;

export function sumsOf<Rule extends object>(figures: Readonly<Record<string, Rule>>): NamesIn<Rule>[] {
  const named = new Set<unknown>(Object.values(figures).flatMap((figure) => Object.values(figure)));
  return STATISTIC_SUMS.filter((name): name is NamesIn<Rule> => named.has(name));
}

const BY_GAS = { of: 'costed', unknown: 'gasUnknown' } as const;
const BY_FEE = { of: 'costed', unknown: 'feeUnknown' } as const;
const BY_FAILURE = { of: 'failed', unknown: 'failedUnknown' } as const;
const WASTED = { of: 'unreferenced', unknown: 'feeUnknown' } as const;

/** The figures of submissions in rows of statistics, except those that are computed from several sums. */
export const SUBMISSION_FIGURES = {
  attempts: { rule: 'SUM', sum: 'attempts' },
  reconstructed: { rule: 'SUM', sum: 'reconstructed' },
  undecided: { rule: 'SUM', sum: 'undecided' },
  landed: { rule: 'SUM', sum: 'landed' },
  unreferenced: { rule: 'SUM', sum: 'unreferenced' },
  unreadable: { rule: 'SUM', sum: 'unreadable' },
  blobCount: { rule: 'SUM', sum: 'blobCount' },
  sizeBytes: { rule: 'SUM', sum: 'sizeBytes' },
  sharesMin: { rule: 'LEAST', sum: 'sharesMin', ...BY_GAS },
  sharesMax: { rule: 'MOST', sum: 'sharesMax', ...BY_GAS },
  reconstructedShares: { rule: 'SUM', sum: 'reconstructedShares' },
} as const satisfies Readonly<Record<string, FigureRule>>;

/** Sums from which mean times are computed. */
export const MEAN_SUMS = [
  'lagCount',
  'lagSumNs',
  'submissionCount',
  'submissionSumUs',
] as const satisfies readonly StoredSum[];

/** The figures of blocks whose time lies in the bucket: sums of `block_statistic`. */
export const BLOCK_FIGURES = {
  blocksProduced: 'produced',
  blocksIncluded: 'included',
  transactions: 'transactions',
  transactionsIncluded: 'includedTransactions',
  transactionBytes: 'txBytes',
  transactionBytesIncluded: 'includedTxBytes',
} as const satisfies Readonly<Record<string, keyof BlockStatisticEntity>>;

/** The figure that says how many blocks the sums of blocks may lack. */
export const BLOCKS_MISSING = 'blocksMissing';

/** Figures that are read only if one of them is requested, by the query that they need. */
export const STATISTICS_ON_DEMAND = {
  gasPrices: ['gasPriceMin', 'gasPriceMean', 'gasPriceMax', 'gasPriceLast'],
  blocks: [...Object.keys(BLOCK_FIGURES), BLOCKS_MISSING],
  ends: ['pendingAtEnd', 'inclusionFrontierAtEnd'],
  losses: ['holes', 'provenLost', 'likelyLost'],
} as const;

/** Types of the figures of cost, by unit. Null means not known. A PART is a share of something that may not exist. */
interface CostValues {
  readonly COUNT: bigint | null;
  readonly GAS: bigint | null;
  readonly UTIA: Decimal | null;
  readonly FIAT: Decimal | null;
  readonly CURRENCY: string | null;
  readonly SHARE: number;
  readonly PART: number | null;
}

/** A figure of the cost report. Without a rule it is computed from other figures. */
type CostFigure = {
  readonly unit: keyof CostValues;
  /** The extra query for the figure, which runs only on request. */
  readonly need?: 'unitCosts' | 'change' | 'forecast';
  /** Column name in machine-readable reports, which have the order of the figures here. */
  readonly column?: string;
} & (FigureRule | { readonly rule?: undefined });

/** The figures of rows of the cost report. */
export const COST_FIGURES = {
  submissions: { unit: 'COUNT', rule: 'SUM', sum: 'costed', column: 'submissions' },
  landed: { unit: 'COUNT', rule: 'SUM', sum: 'landed', column: 'landed' },
  sizeBytes: { unit: 'COUNT', rule: 'SUM', sum: 'sizeBytes', column: 'bytes' },
  unreadable: { unit: 'COUNT', rule: 'SUM', sum: 'unreadable', column: 'unreadable' },
  gasMin: { unit: 'GAS', rule: 'LEAST', sum: 'gasMin', ...BY_GAS, column: 'gas_min' },
  gasMax: { unit: 'GAS', rule: 'MOST', sum: 'gasMax', ...BY_GAS, column: 'gas_max' },
  feeMin: { unit: 'UTIA', rule: 'LEAST', sum: 'feeMin', ...BY_FEE, column: 'fee_min_tia' },
  feeMax: { unit: 'UTIA', rule: 'MOST', sum: 'feeMax', ...BY_FEE, column: 'fee_max_tia' },
  /** The upper bound for submissions whose fee is known; their lower bound is feeMin. */
  knownFeeMax: { unit: 'UTIA', rule: 'LEAST', sum: 'feeMax', ...BY_FEE },
  fiatMin: { unit: 'FIAT', column: 'fiat_min' },
  fiatMax: { unit: 'FIAT', column: 'fiat_max' },
  /** Null without a rate, and with rates of several currencies. Without submissions it is null, and the fiat fees are 0. */
  fiatUnit: { unit: 'CURRENCY', column: 'fiat_unit' },
  importedShare: { unit: 'SHARE', rule: 'SHARE', sum: 'imported', of: 'costed', column: 'imported_share' },
  recordedShare: { unit: 'SHARE', rule: 'SHARE', sum: 'recorded', of: 'costed', column: 'recorded_share' },
  pricedShare: { unit: 'SHARE', rule: 'SHARE', sum: 'priced', of: 'costed', column: 'priced_share' },
  unknownShare: { unit: 'SHARE', rule: 'SHARE', sum: 'feeUnknown', of: 'costed', column: 'unknown_share' },
  failedAttempts: { unit: 'COUNT', rule: 'SUM', sum: 'failed', column: 'failed_attempts' },
  failedFeeMax: {
    unit: 'UTIA',
    rule: 'MOST',
    sum: 'failedFeeMax',
    ...BY_FAILURE,
    column: 'failed_fee_max_tia',
  },
  unreferenced: { unit: 'COUNT', rule: 'SUM', sum: 'unreferenced', column: 'unreferenced' },
  wastedFeeMin: {
    unit: 'UTIA',
    rule: 'LEAST_OF_PART',
    sum: 'wastedFeeMin',
    ...WASTED,
    column: 'wasted_fee_min_tia',
  },
  wastedFeeMax: { unit: 'UTIA', rule: 'MOST', sum: 'wastedFeeMax', ...WASTED, column: 'wasted_fee_max_tia' },
  headerShare: { unit: 'PART', column: 'header_share' },
  dataShare: { unit: 'PART', column: 'data_share' },
  /** Fees per unit; null if the fee or the number is not known, or the number is zero. */
  feePerBlockMin: { unit: 'UTIA', need: 'unitCosts' },
  /** Per block of the bucket whose header and data are included. */
  feePerBlockMax: { unit: 'UTIA', need: 'unitCosts', column: 'fee_per_block_max_tia' },
  feePerTransactionMin: { unit: 'UTIA', need: 'unitCosts' },
  /** Per transaction of these blocks. */
  feePerTransactionMax: { unit: 'UTIA', need: 'unitCosts', column: 'fee_per_transaction_max_tia' },
  feePerMegabyteMin: { unit: 'UTIA', need: 'unitCosts' },
  /** Per million bytes of blobs. */
  feePerMegabyteMax: { unit: 'UTIA', need: 'unitCosts', column: 'fee_per_megabyte_max_tia' },
  /** Relative change of feeMax from the previous bucket; null if either is unknown or not whole. */
  changeToPrevious: { unit: 'PART', need: 'change', column: 'change_to_previous' },
  /** Projected cost of the current month; null in rows of other months, and if too little is known. */
  forecastLow: { unit: 'UTIA', need: 'forecast', column: 'forecast_low_tia' },
  forecastExpected: { unit: 'UTIA', need: 'forecast', column: 'forecast_expected_tia' },
  forecastHigh: { unit: 'UTIA', need: 'forecast', column: 'forecast_high_tia' },
} as const satisfies Readonly<Record<string, CostFigure>>;

type CostTable = typeof COST_FIGURES;
export type CostFigureName = keyof CostTable;
type ValueOf<Name extends CostFigureName> = CostValues[CostTable[Name]['unit']];
type NamesOf<Figure> = {
  [Name in CostFigureName]: CostTable[Name] extends Figure ? Name : never;
}[CostFigureName];

export type CostNeed = NonNullable<CostFigure['need']>;
/** The figures of a part that is read on request. */
export type FiguresFor<Need extends CostNeed> = {
  readonly [Name in NamesOf<{ readonly need: Need }>]: ValueOf<Name>;
};
/** The cost of a row's submissions. Fees in utia. */
export type CostFigures = {
  readonly [Name in Exclude<CostFigureName, NamesOf<{ readonly need: string }>>]: ValueOf<Name>;
};
export type RuledFigures = { readonly [Name in NamesOf<FigureRule>]: ValueOf<Name> };
