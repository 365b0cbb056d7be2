import { onConnection, type Query, type StatementSource } from '../../platform/sql.js';
import type { PriceVersion } from '../../projections/prices/price-ledger.js';
import { loadStandingPrices } from '../../projections/prices/price-rows.js';
import { findPositionAt } from '../read/plan/log-position.query.js';
import { selectMicros } from '../read/plan/micros.js';
import { requireChain } from './known-chains.js';

/** A price, when another one replaced it (Unix microseconds; null: it stands), and who set it (null: it is not recorded). */
export interface BookEntry extends PriceVersion {
  readonly replacedAt: bigint | null;
  readonly by: string | null;
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
    const authors = await getAuthors(query, versions);
    return versions.map((version) => ({
      ...version,
      replacedAt: times.get(version.toPosition) ?? null,
      by: authors.get(version.fromPosition) ?? null,
    }));
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

/** Who asked for the events that the versions came with. Read from the log, as nothing depends on it but what is shown. */
async function getAuthors(
  query: Query,
  versions: readonly PriceVersion[],
): Promise<ReadonlyMap<bigint, string | null>> {
  const positions = [...new Set(versions.map(({ fromPosition }) => String(fromPosition)))];
  if (positions.length === 0) return new Map();
  const rows = await query<{ position: string; author: string | null }>(
    "SELECT position, body ->> 'by' AS author FROM event WHERE position = ANY ($1::bigint[]) AND type = 'PriceSet'",
    [positions],
  );
  return new Map(rows.map(({ position, author }) => [BigInt(position), author]));
}
