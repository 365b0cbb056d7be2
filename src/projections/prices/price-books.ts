import { PriceBook, readPrice } from '../../domain/cost/price-book.js';
import type { PriceEntry } from '../../domain/cost/price-entry.js';
import type { RecordedPrice } from '../../domain/events.js';
import type { Query } from '../projection.js';
import type { PriceVersion } from './price-ledger.js';
import { loadStandingPrices } from './price-rows.js';

/**
 * The price books by chain. A chain without prices has none.
 *
 * @param which `knownAt`, a position of the log: the books as they were known there; `chain`: that of this one alone
 */
export async function loadPriceBooks(
  query: Query,
  which: { readonly knownAt?: bigint; readonly chain?: string } = {},
): Promise<ReadonlyMap<string, PriceBook>> {
  const versions = await loadStandingPrices(query, which);
  const entries = new Map<string, PriceEntry[]>();
  for (const version of versions) {
    const entry = toPriceEntry(version);
    if (entry) entries.set(version.chain, [...(entries.get(version.chain) ?? []), entry]);
  }
  return new Map([...entries].map(([chain, list]) => [chain, new PriceBook(list)]));
}

/** A price of the read model as an entry of the book; undefined where it is none. */
export function toPriceEntry({ subject, value, effectiveFrom }: PriceVersion): PriceEntry | undefined {
  const entry = readPrice({ effectiveFrom: null, subject, value } as RecordedPrice);
  return typeof entry === 'string' ? undefined : { ...entry, effectiveFrom };
}
