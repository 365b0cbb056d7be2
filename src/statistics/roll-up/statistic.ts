import { Decimal } from '../../domain/cost/decimal.js';
import { Sketch } from '../../domain/statistics/sketch.js';

/** What a statistic is of. Codes are those of the tables `submission` and `statistic`. */
export interface StatisticKey {
  /** 0: the chain's own. */
  readonly nodeKey: number;
  /** Empty while it is not known. */
  readonly chain: string;
  /** 0 where the rows name none. */
  readonly namespaceKey: number;
  readonly kind: number;
  readonly status: number;
}

/** Money in the unit of a fiat rate, and how many submissions it is of. */
export interface FiatSum {
  readonly min: Decimal;
  readonly max: Decimal;
  readonly count: bigint;
}

/** The columns of `statistic` that are added up, under the names they have here. */
export const STATISTIC_SUMS = [
  'attempts',
  'reconstructed',
  'landed',
  'unreferenced',
  'unreadable',
  'blobCount',
  'sizeBytes',
  'measuredBlobs',
  'measuredBytes',
  'sharesMin',
  'sharesMax',
  'reconstructedShares',
  'gasPriceCount',
  'costed',
  'gasUnknown',
  'gasMin',
  'gasMax',
  'imported',
  'recorded',
  'priced',
  'feeUnknown',
  'feeMin',
  'feeMax',
  'wastedFeeMin',
  'wastedFeeMax',
  'failed',
  'failedUnknown',
  'failedFeeMax',
] as const;
type StatisticSum = (typeof STATISTIC_SUMS)[number];

/** The sketches of a statistic. */
export const STATISTIC_SKETCHES = ['lagMs', 'submissionMs', 'blobBytes'] as const;

/**
 * Sums of submissions, column by column those of the table `statistic`, which says what each of them means. Counts,
 * bytes, shares and gas are integers; fees are utia; gas prices utia per gas; times Unix microseconds.
 */
export interface Statistic extends StatisticKey, Readonly<Record<StatisticSum, bigint>> {
  readonly gasPriceMin: Decimal | null;
  readonly gasPriceSum: Decimal;
  readonly gasPriceMax: Decimal | null;
  /** That of the latest attempt that has one; of several at that moment the highest. */
  readonly gasPriceLast: Decimal | null;
  readonly gasPriceLastAt: bigint | null;
  /** By unit. */
  readonly fiat: ReadonlyMap<string, FiatSum>;
  readonly lagMs: Sketch;
  readonly submissionMs: Sketch;
  readonly blobBytes: Sketch;
}

/** A statistic that is being added up. */
export type OpenStatistic = { -readonly [Name in keyof Statistic]: Statistic[Name] } & {
  fiat: Map<string, FiatSum>;
};

const ZERO = Decimal.of(0n);

/** A statistic of nothing. */
export function emptyStatistic(key: StatisticKey): OpenStatistic {
  const { nodeKey, chain, namespaceKey, kind, status } = key;
  const sums = Object.fromEntries(STATISTIC_SUMS.map((name) => [name, 0n])) as Record<StatisticSum, bigint>;
  return {
    nodeKey,
    chain,
    namespaceKey,
    kind,
    status,
    ...sums,
    gasPriceMin: null,
    gasPriceSum: ZERO,
    gasPriceMax: null,
    gasPriceLast: null,
    gasPriceLastAt: null,
    fiat: new Map(),
    lagMs: Sketch.empty(),
    submissionMs: Sketch.empty(),
    blobBytes: Sketch.empty(),
  };
}

/** What a statistic takes from another's gas prices beside their sum and number. */
export function notePrices(
  sum: OpenStatistic,
  other: Pick<Statistic, 'gasPriceMin' | 'gasPriceMax' | 'gasPriceLast' | 'gasPriceLastAt'>,
): void {
  const { gasPriceMin: min, gasPriceMax: max, gasPriceLast: last, gasPriceLastAt: lastAt } = other;
  if (min && (!sum.gasPriceMin || min.compare(sum.gasPriceMin) < 0)) sum.gasPriceMin = min;
  if (max && (!sum.gasPriceMax || max.compare(sum.gasPriceMax) > 0)) sum.gasPriceMax = max;
  if (last === null || lastAt === null) return;
  const { gasPriceLast: known, gasPriceLastAt: knownAt } = sum;
  const isLater = knownAt === null || lastAt > knownAt;
  if (isLater || (lastAt === knownAt && known !== null && last.compare(known) > 0)) {
    sum.gasPriceLast = last;
    sum.gasPriceLastAt = lastAt;
  }
}

export function addFiat(fiat: Map<string, FiatSum>, unit: string, { min, max, count }: FiatSum): void {
  const known = fiat.get(unit);
  fiat.set(
    unit,
    known
      ? { min: known.min.plus(min), max: known.max.plus(max), count: known.count + count }
      : { min, max, count },
  );
}
