import { Decimal } from './decimal.js';
import { feeOf, gasOf, shareBounds, type Bounds } from './pay-for-blobs.js';
import type { Prices } from './price-book.js';

/** Facts about a submission that determine its cost. */
export interface CostFacts {
  readonly blobCount: bigint | null;
  readonly sizeBytes: bigint | null;
  /** Shares of all its blobs, without signer; null if the size of a blob is unknown. */
  readonly shares: bigint | null;
  /** Shares of all its blobs, with signer; null if the size of a blob is unknown. */
  readonly signedShares: bigint | null;
  /** As the node reported it, utia per gas. Nodes that do not know it send 0 or -1, which count as unknown. */
  readonly gasPrice: Decimal | null;
  /** utia, imported from the DA layer. */
  readonly importedFee: bigint | null;
}

export type FeeBasis = 'IMPORTED' | 'RECORDED' | 'PRICED';

export interface CostBounds {
  /** Null: unknown. Both bounds are equal if the size of each blob is known. */
  readonly gas: Bounds | null;
  /** utia; null: unknown, which is never zero. */
  readonly fee: (Bounds & { readonly basis: FeeBasis }) | null;
}

/**
 * Gas and fee of one submission: one PayForBlobs transaction. The best source of a fee is used: an imported fee, then the
 * gas price that the node reported, then that of the price book.
 */
export function costOfSubmission(facts: CostFacts, prices: Prices): CostBounds {
  const gas = gasBounds(facts, prices);
  return { gas, fee: feeBounds(facts, prices, gas) };
}

/** A transaction without blobs is not valid on Celestia, so a row that reports one proves nothing about its gas. */
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

function feeBounds(facts: CostFacts, prices: Prices, gas: Bounds | null): CostBounds['fee'] {
  const { importedFee, gasPrice } = facts;
  if (importedFee !== null) return { min: importedFee, max: importedFee, basis: 'IMPORTED' };
  if (gas === null) return null;
  if (gasPrice !== null && isPositive(gasPrice)) return priced(gas, gasPrice, 'RECORDED');
  return prices.gasPrice && priced(gas, prices.gasPrice, 'PRICED');
}

function isPositive(value: Decimal): boolean {
  return !value.isNegative() && !value.isZero();
}

function priced(gas: Bounds, gasPrice: Decimal, basis: FeeBasis): CostBounds['fee'] {
  return { min: feeOf(gas.min, gasPrice), max: feeOf(gas.max, gasPrice), basis };
}

/** 1 TIA = 1,000,000 utia. */
const TIA_PER_UTIA = Decimal.parse('0.000001') as Decimal;

/** The exact value of an amount of utia, in the unit of the rate. */
export function fiatOf(utia: bigint, { perTia }: { readonly perTia: Decimal }): Decimal {
  return Decimal.of(utia).times(perTia.times(TIA_PER_UTIA));
}
