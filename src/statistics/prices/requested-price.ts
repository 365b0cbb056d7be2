import type { PriceBook } from '../../domain/cost/price-book.js';
import type { RecordedSchedule } from '../../domain/cost/settings-prices.js';
import type { RecordedPrice } from '../../domain/events.js';
import { formatTime, microsToNanos, type Micros } from '../../domain/time.js';

/** Prices to apply from a moment on. Members that are left out stay unchanged. Amounts are text, as people wrote them. */
export interface RequestedPrice {
  /** Null: from the beginning. */
  readonly effectiveFrom: Micros | null;
  /** utia per gas. */
  readonly gasPrice?: string;
  readonly fiat?: { readonly unit: string; readonly perTia: string };
  readonly gasPerShareByte?: string;
  readonly gasPerBlob?: string;
  readonly fixedGas?: string;
  /** Whether blobs name their signer. */
  readonly signer?: boolean;
}

export const MOST_PRICES = 1_000;

/** Before every moment that a book can name. */
const BEGINNING = -(2n ** 62n);

/**
 * Converts requested prices to entries for the record, in their order. A gas schedule is recorded whole: missing parts are
 * taken from the previous request, else from the book.
 */
export function toRecordedPrices(requested: readonly RequestedPrice[], book: PriceBook): RecordedPrice[] {
  const prices: RecordedPrice[] = [];
  let schedule: RecordedSchedule | undefined;
  for (const request of requested) {
    const effectiveFrom =
      request.effectiveFrom === null ? null : formatTime(microsToNanos(request.effectiveFrom));
    const { gasPrice, fiat, gasPerShareByte, gasPerBlob, fixedGas, signer } = request;
    if (gasPrice !== undefined) {
      prices.push({ effectiveFrom, subject: 'GAS_PRICE', value: { utia: gasPrice } });
    }
    if (fiat !== undefined) {
      prices.push({ effectiveFrom, subject: 'FIAT_RATE', value: { unit: fiat.unit, perTia: fiat.perTia } });
    }
    if ([gasPerShareByte, gasPerBlob, fixedGas, signer].every((member) => member === undefined)) continue;
    const before = schedule ?? scheduleAt(book, request.effectiveFrom ?? BEGINNING);
    schedule = {
      gasPerShareByte: gasPerShareByte ?? before.gasPerShareByte,
      gasPerBlob: gasPerBlob ?? before.gasPerBlob,
      fixedGas: fixedGas ?? before.fixedGas,
      signer: signer ?? before.signer,
    };
    prices.push({ effectiveFrom, subject: 'GAS_SCHEDULE', value: schedule });
  }
  return prices;
}

function scheduleAt(book: PriceBook, us: Micros): RecordedSchedule {
  const { gasPerShareByte, gasPerBlob, fixedGas, signer } = book.at(us).schedule;
  return {
    gasPerShareByte: gasPerShareByte.toString(),
    gasPerBlob: gasPerBlob.toString(),
    fixedGas: fixedGas.toString(),
    signer,
  };
}
