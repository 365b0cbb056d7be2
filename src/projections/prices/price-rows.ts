import { selectList } from '../../platform/rows/row-columns.js';
import { PriceEntity } from '../../tables/prices/price.entity.js';
import type { Query } from '../projection.js';
import type { PriceVersion } from './price-ledger.js';

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
