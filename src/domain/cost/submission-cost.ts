import { Decimal } from './decimal.js';
import { feeOf, gasOf, shareBounds, type Bounds } from './pay-for-blobs.js';
import type { Prices } from './price-book.js';

/** What is known of a submission that its cost follows from. */
export interface CostFacts {
  readonly blobCount: bigint | null;
  readonly sizeBytes: bigint | null;
  /** Shares of all its blobs, without signer; null where the size of a blob is not known. */
  readonly shares: bigint | null;
  /** The same with signer. */
  readonly signedShares: bigint | null;
  /** As the node reported it, utia per gas. Nodes that don't know it send 0 or -1, which is taken as unknown. */
  readonly gasPrice: Decimal | null;
  /** utia, as somebody read it from the DA layer. */
  readonly importedFee: bigint | null;
}

/** What a fee rests on. */
export const FEE_BASES = ['IMPORTED', 'RECORDED', 'PRICED'] as const;
export type FeeBasis = (typeof FEE_BASES)[number];

export interface SubmissionCost {
  /** Null: unknown. Equal where the size of each blob is known. */
  readonly gas: Bounds | null;
  /** utia; null: unknown, which is never zero. */
  readonly fee: (Bounds & { readonly basis: FeeBasis }) | null;
}

/**
 * Gas and fee of one submission: one PayForBlobs transaction. The best source of a fee wins: one that was imported, then
 * the gas price that the node reported, then that of the price book.
 */
export function costOfSubmission(facts: CostFacts, prices: Prices): SubmissionCost {
  const gas = gasBounds(facts, prices);
  return { gas, fee: feeBounds(facts, prices, gas) };
}

/** A transaction without blobs is not valid on Celestia, so that a row which says so tells nothing of its gas. */
function gasBounds(facts: CostFacts, { schedule }: Prices): Bounds | null {
  const { blobCount, sizeBytes } = facts;
  if (blobCount === null || blobCount <= 0n) return null;
  const exact = schedule.signer ? facts.signedShares : facts.shares;
  if (exact !== null) {
    const gas = gasOf(exact, blobCount, schedule);
    return { min: gas, max: gas };
  }
  const shares = sizeBytes === null ? null : shareBounds(blobCount, sizeBytes, schedule.signer);
  return (
    shares && { min: gasOf(shares.min, blobCount, schedule), max: gasOf(shares.max, blobCount, schedule) }
  );
}

function feeBounds(facts: CostFacts, prices: Prices, gas: Bounds | null): SubmissionCost['fee'] {
  const { importedFee, gasPrice } = facts;
  if (importedFee !== null) return { min: importedFee, max: importedFee, basis: 'IMPORTED' };
  if (gas === null) return null;
  if (gasPrice !== null && isPositive(gasPrice)) return priced(gas, gasPrice, 'RECORDED');
  return prices.gasPrice && priced(gas, prices.gasPrice, 'PRICED');
}

function isPositive(value: Decimal): boolean {
  return !value.isNegative() && !value.isZero();
}

function priced(gas: Bounds, gasPrice: Decimal, basis: FeeBasis): SubmissionCost['fee'] {
  return { min: feeOf(gas.min, gasPrice), max: feeOf(gas.max, gasPrice), basis };
}

/** 1 TIA = 1,000,000 utia. */
const TIA_PER_UTIA = Decimal.parse('0.000001') as Decimal;

/** The exact worth of an amount of utia. */
export function fiatOf(utia: bigint, { perTia }: { readonly perTia: Decimal }): Decimal {
  return Decimal.of(utia).times(perTia.times(TIA_PER_UTIA));
}
