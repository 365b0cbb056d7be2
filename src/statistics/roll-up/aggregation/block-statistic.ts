/** What block sums are of. */
export interface BlockStatisticKey {
  /** 0: each block of a lineage once. */
  readonly nodeKey: number;
  readonly chain: string;
  readonly lineageKey: number;
}

/** The columns of `block_statistic` that are added up, under the names they have here. */
export const BLOCK_SUMS = [
  'produced',
  'included',
  'transactions',
  'includedTransactions',
  'txBytes',
  'includedTxBytes',
] as const;

/** The columns whose greatest value counts. */
export const BLOCK_HEIGHTS = ['lastHeight', 'headerFrontier', 'dataFrontier'] as const;

/** Sums of blocks, column by column those of the table `block_statistic`, which says what each of them means. */
export type BlockStatistic = BlockStatisticKey &
  Readonly<Record<(typeof BLOCK_SUMS)[number], bigint>> &
  Readonly<Record<(typeof BLOCK_HEIGHTS)[number], bigint | null>>;

/** Block sums that are being added up. */
export type OpenBlockStatistic = { -readonly [Name in keyof BlockStatistic]: BlockStatistic[Name] };

/** Sums of no block. */
export function emptyBlockStatistic({ nodeKey, chain, lineageKey }: BlockStatisticKey): OpenBlockStatistic {
  return {
    nodeKey,
    chain,
    lineageKey,
    produced: 0n,
    included: 0n,
    transactions: 0n,
    includedTransactions: 0n,
    txBytes: 0n,
    includedTxBytes: 0n,
    lastHeight: null,
    headerFrontier: null,
    dataFrontier: null,
  };
}

/** The greater height; null where neither is known. */
export function higher(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || (b !== null && b > a) ? b : a;
}
