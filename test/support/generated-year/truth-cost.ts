import { feeOf, shareLimits, sharesOf, toAmount, truePrices, type TrueBook } from './truth-money.js';
import type { TrueRow } from './truth-rows.js';
import type { YearFee } from './year-fees.js';

type TrueBasis = 'IMPORTED' | 'RECORDED' | 'PRICED';

interface Limits {
  readonly min: bigint;
  readonly max: bigint;
}

/** The cost of one submission or failed attempt; null where unknown. */
export interface TrueCost {
  /** Without signer. */
  readonly shares: Limits | null;
  readonly gas: Limits | null;
  /** utia. */
  readonly fee: (Limits & { readonly basis: TrueBasis }) | null;
  /** Amounts, see `toAmount`. */
  readonly fiat: (Limits & { readonly unit: string }) | null;
}

const UTIA_PER_TIA = 1_000_000n;

/** Whether a row is on the DA layer or says so: it then has volume and cost. */
export function isSubmission({ status, evidence }: TrueRow): boolean {
  return status === 'SUCCESS' || evidence === 'CONFIRMED' || evidence === 'RECONSTRUCTED';
}

/** The cost of each row, computed once. */
export class TrueCosts {
  private readonly known = new Map<TrueRow, TrueCost>();

  /** @param book the price book to use */
  constructor(
    private readonly fees: readonly YearFee[],
    private readonly book: TrueBook = {},
  ) {}

  of(row: TrueRow): TrueCost {
    const known = this.known.get(row) ?? this.find(row);
    this.known.set(row, known);
    return known;
  }

  private find(row: TrueRow): TrueCost {
    const prices = truePrices(row.chain, row.timeUs, this.book);
    const shares = sharesBetween(row, prices.hasSigner);
    const { gasPerShareByte, gasPerBlob, fixedGas } = prices;
    const gasOf = (count: bigint): bigint =>
      count * 512n * gasPerShareByte + (row.blobs ?? 0n) * gasPerBlob + fixedGas;
    const gas = shares && { min: gasOf(shares.min), max: gasOf(shares.max) };
    const fee = this.feeOf(row, gas, prices.gasPrice);
    const { fiat } = prices;
    const money = (utia: bigint): bigint => (utia * (fiat?.perTia ?? 0n)) / UTIA_PER_TIA;
    return {
      shares: sharesBetween(row, false),
      gas,
      fee,
      fiat: fee && fiat && { unit: fiat.unit, min: money(fee.min), max: money(fee.max) },
    };
  }

  /** Prefers the imported fee, then the recorded gas price, then the book's price. */
  private feeOf(row: TrueRow, gas: Limits | null, bookPrice: bigint | null): TrueCost['fee'] {
    const imported = isSubmission(row) ? this.importedFee(row) : undefined;
    if (imported !== undefined) return { min: imported, max: imported, basis: 'IMPORTED' };
    const recorded = row.gasPrice === null ? null : toAmount(row.gasPrice);
    const price = recorded ?? bookPrice;
    if (gas === null || price === null) return null;
    const basis = recorded === null ? 'PRICED' : 'RECORDED';
    return { min: feeOf(gas.min, price), max: feeOf(gas.max, price), basis };
  }

  private importedFee(row: TrueRow): bigint | undefined {
    return this.fees.find(
      (fee) =>
        fee.chain === row.chain &&
        fee.daHeight === row.daHeight &&
        (fee.namespace === null || fee.namespace === row.namespace),
    )?.utia;
  }
}

/** Exact if each blob's size is known, or else the range for this number of blobs and bytes. */
function sharesBetween({ blobs, bytes, carried }: TrueRow, hasSigner: boolean): Limits | null {
  if (blobs === null || blobs === 0n) return null;
  if (carried && carried.every((blob) => blob.bytes !== null)) {
    let shares = 0n;
    for (const blob of carried) shares += sharesOf(blob.bytes ?? 0n, hasSigner);
    return { min: shares, max: shares };
  }
  return bytes === null || bytes < blobs ? null : shareLimits(blobs, bytes, hasSigner);
}
