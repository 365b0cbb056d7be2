import { PriceBook, readPrice } from '../../domain/cost/price-book.js';
import type { PriceEntry } from '../../domain/cost/price-entry.js';
import type { RecordedPrice } from '../../domain/events.js';
import { selectList } from '../../platform/rows/row-columns.js';
import { PriceEntity } from '../../tables/prices/price.entity.js';
import type { Query } from '../projection.js';
import type { PriceVersion } from './price-ledger.js';

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

const SAID = selectList(PriceEntity, 'p', [
  'chain',
  'subject',
  'value',
  'source',
  'recordedAt',
  'fromPosition',
  'toPosition',
]);
const SELECT_PRICE = `SELECT ${SAID}, nullif(p.effective_from, '-infinity') AS "effectiveFrom" FROM price p`;

/** Every version of the chains' prices, in the order in which they became known. */
export async function loadPriceVersions(query: Query, chains: readonly string[]): Promise<PriceVersion[]> {
  if (chains.length === 0) return [];
  return query<PriceVersion>(
    `${SELECT_PRICE} WHERE p.chain = ANY ($1) ORDER BY p.from_position, p.effective_from, p.subject`,
    [chains],
  );
}

/** The versions of all chains that stand, or stood at a position of the log; by chain, subject and moment. */
export function loadStandingPrices(
  query: Query,
  { knownAt, chain }: { readonly knownAt?: bigint; readonly chain?: string } = {},
): Promise<PriceVersion[]> {
  return query<PriceVersion>(
    `${SELECT_PRICE}
      WHERE CASE WHEN $1::bigint IS NULL THEN p.to_position IS NULL
                 ELSE p.from_position <= $1 AND (p.to_position IS NULL OR p.to_position > $1) END
        AND ($2::text IS NULL OR p.chain = $2)
      ORDER BY p.chain, p.subject, p.effective_from`,
    [knownAt ?? null, chain ?? null],
  );
}
