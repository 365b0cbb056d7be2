import type { PriceBook } from '../../domain/cost/price-book.js';
import type { Micros } from '../../domain/time.js';
import { type Database, onConnection, type Query, toSource } from '../../platform/sql.js';
import type { PriceVersion } from '../../projections/prices/price-ledger.js';
import { loadPriceBooks, loadValidPrices } from '../../projections/prices/prices.js';
import { findPositionAt } from '../read/plan/log-position.query.js';
import { requireKnownNames } from '../read/known-names.query.js';

/** A price, when another price replaced it (null: still valid), and who set it (null: not recorded). */
export interface BookEntry extends PriceVersion {
  readonly replacedAt: Micros | null;
  readonly by: string | null;
}

export interface PriceBookRequest {
  /** All chains that have prices when left out. */
  readonly chain?: string;
  /** Reads the book as it was recorded at this time; the current book if left out. */
  readonly knownAt?: Micros;
}

/**
 * Reads price books, by chain, subject and moment.
 * @throws UserError for an unknown chain
 */
export function readPriceBooks(source: Database, { chain, knownAt }: PriceBookRequest): Promise<BookEntry[]> {
  return onConnection(source, async (query) => {
    if (chain !== undefined) await requireKnownNames(toSource(query), { chains: [chain] });
    const position = knownAt === undefined ? undefined : await findPositionAt(query, knownAt);
    const versions = await loadValidPrices(query, {
      ...(chain !== undefined && { chain }),
      ...(position !== undefined && { knownAt: position }),
    });
    const events = await getEvents(query, versions);
    return versions.map((version) => ({
      ...version,
      replacedAt: events.get(version.toPosition)?.recordedAt ?? null,
      by: events.get(version.fromPosition)?.author ?? null,
    }));
  });
}

/** The price book of a node's chain, to compute with; undefined if there is no book. */
export function readBookOfNode(source: Database, node: string): Promise<PriceBook | undefined> {
  return onConnection(source, async (query) => {
    const [found] = await query<{ chain: string }>(
      "SELECT coalesce(chain_id, '') AS chain FROM node WHERE id = $1",
      [node],
    );
    return found && (await loadPriceBooks(query, found)).get(found.chain);
  });
}

interface PriceEvent {
  readonly position: bigint;
  readonly recordedAt: Micros;
  /** The person or key that requested the change; null if not recorded. */
  readonly author: string | null;
}

/** The events that set the versions, and the events that replaced them. */
async function getEvents(
  query: Query,
  versions: readonly PriceVersion[],
): Promise<ReadonlyMap<bigint | null, PriceEvent>> {
  const positions = versions.flatMap(({ fromPosition, toPosition }) => [fromPosition, toPosition]);
  const rows = await query<PriceEvent>(
    `SELECT position, recorded_at AS "recordedAt", CASE type WHEN 'PriceSet' THEN body ->> 'by' END AS author
       FROM event WHERE position = ANY ($1::bigint[])`,
    [[...new Set(positions)]],
  );
  return new Map(rows.map((event) => [event.position, event]));
}
