import { onConnection, type Query, type StatementSource } from '../../platform/sql.js';
import type { PriceVersion } from '../../projections/prices/price-ledger.js';
import { loadStandingPrices } from '../../projections/prices/price-rows.js';
import { findPositionAt } from '../read/plan/log-position.query.js';
import { selectMicros } from '../read/plan/micros.js';
import { requireChain } from './known-chains.js';

/** A price, and when another one replaced it (Unix microseconds; null: it stands). */
export interface BookEntry extends PriceVersion {
  readonly replacedAt: bigint | null;
}

/** What is read of the price books. */
export interface PriceBookRequest {
  /** All chains that have prices when left out. */
  readonly chain?: string;
  /** Unix microseconds: the book as it was recorded then. Now, when left out. */
  readonly knownAt?: bigint;
}

/**
 * Reads price books, by chain, subject and moment.
 * @throws UserError for a chain that nobody knows
 */
export function readPriceBooks(
  source: StatementSource,
  { chain, knownAt }: PriceBookRequest,
): Promise<BookEntry[]> {
  return onConnection(source, async (query) => {
    if (chain !== undefined) await requireChain(query, chain);
    const position = knownAt === undefined ? undefined : await findPositionAt(query, knownAt);
    const versions = await loadStandingPrices(query, {
      ...(chain !== undefined && { chain }),
      ...(position !== undefined && { knownAt: position }),
    });
    const times = await getTimes(query, versions);
    return versions.map((version) => ({ ...version, replacedAt: times.get(version.toPosition) ?? null }));
  });
}

/** When the events were recorded that replaced the versions. */
async function getTimes(
  query: Query,
  versions: readonly PriceVersion[],
): Promise<ReadonlyMap<bigint | null, bigint>> {
  const positions = versions.flatMap(({ toPosition }) => (toPosition === null ? [] : [String(toPosition)]));
  if (positions.length === 0) return new Map();
  const rows = await query<{ position: string; recorded: string }>(
    `SELECT position, ${selectMicros('recorded_at', 'recorded')} FROM event WHERE position = ANY ($1::bigint[])`,
    [positions],
  );
  return new Map(rows.map(({ position, recorded }) => [BigInt(position), BigInt(recorded)]));
}
