import type { PriceSubject, RecordedPrice } from '../../domain/events.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';
import type { PriceVersion } from './price-ledger.js';

interface PriceRow {
  readonly chain: string;
  readonly subject: PriceSubject;
  readonly effective_us: string | null;
  readonly value: RecordedPrice['value'];
  readonly source: string;
  readonly recorded_us: string;
  readonly from_position: string;
  readonly to_position: string | null;
}

const SELECT_PRICE = `
  SELECT chain, subject, value, source, from_position, to_position,
         CASE WHEN effective_from > '-infinity' THEN (extract(epoch FROM effective_from) * 1000000)::bigint END AS effective_us,
         (extract(epoch FROM recorded_at) * 1000000)::bigint AS recorded_us
    FROM price`;

const ADDED_COLUMNS = [
  column('chain', 'text', (version: PriceVersion) => version.chain),
  column('subject', 'text', (version: PriceVersion) => version.subject),
  column('effective_from', 'timestamptz', (version: PriceVersion) => version.effectiveFrom),
  column('value', 'text', (version: PriceVersion) => JSON.stringify(version.value)),
  column('source', 'text', (version: PriceVersion) => version.source),
  column('recorded_at', 'timestamptz', (version: PriceVersion) => version.recordedAt),
  column('from_position', 'int8', (version: PriceVersion) => version.fromPosition),
  column('to_position', 'int8', (version: PriceVersion) => version.toPosition),
];
const CLOSED_COLUMNS = ADDED_COLUMNS.filter(({ name }) =>
  ['chain', 'subject', 'effective_from', 'from_position', 'to_position'].includes(name),
);

/** Every version of the chains' prices, in the order in which they became known. */
export async function loadPriceVersions(query: Query, chains: readonly string[]): Promise<PriceVersion[]> {
  if (chains.length === 0) return [];
  const rows = await query<PriceRow>(
    `${SELECT_PRICE} WHERE chain = ANY ($1) ORDER BY from_position, effective_from, subject`,
    [chains],
  );
  return rows.map(toVersion);
}

/** The versions of all chains that stand, or stood at a position of the log; by chain, subject and moment. */
export async function loadStandingPrices(
  query: Query,
  { knownAt, chain }: { readonly knownAt?: bigint; readonly chain?: string } = {},
): Promise<PriceVersion[]> {
  const rows = await query<PriceRow>(
    `${SELECT_PRICE}
      WHERE CASE WHEN $1::bigint IS NULL THEN to_position IS NULL
                 ELSE from_position <= $1 AND (to_position IS NULL OR to_position > $1) END
        AND ($2::text IS NULL OR chain = $2)
      ORDER BY chain, subject, effective_from`,
    [knownAt?.toString() ?? null, chain ?? null],
  );
  return rows.map(toVersion);
}

/** Writes what changed: versions that no longer stand, and new ones. */
export async function writePriceVersions(
  query: Query,
  { closed, added }: { readonly closed: readonly PriceVersion[]; readonly added: readonly PriceVersion[] },
): Promise<void> {
  if (closed.length > 0) {
    const gone = unnestRows(CLOSED_COLUMNS, closed, 'gone');
    await query(
      `UPDATE price p SET to_position = gone.to_position FROM ${gone.sql}
        WHERE p.chain = gone.chain AND p.subject = gone.subject AND p.from_position = gone.from_position
          AND p.effective_from = coalesce(gone.effective_from, '-infinity')`,
      gone.parameters,
    );
  }
  if (added.length === 0) return;
  const { names, sql, parameters } = unnestRows(ADDED_COLUMNS, added);
  const values = ADDED_COLUMNS.map(({ name }) => WRITTEN[name] ?? name).join(', ');
  await query(`INSERT INTO price (${names}) SELECT ${values} FROM ${sql}`, parameters);
}

const WRITTEN: Readonly<Record<string, string>> = {
  effective_from: "coalesce(effective_from, '-infinity')",
  value: 'value::jsonb',
};

function toVersion(row: PriceRow): PriceVersion {
  return {
    chain: row.chain,
    subject: row.subject,
    effectiveFrom: row.effective_us === null ? null : BigInt(row.effective_us),
    value: row.value,
    source: row.source,
    recordedAt: BigInt(row.recorded_us),
    fromPosition: BigInt(row.from_position),
    toPosition: row.to_position === null ? null : BigInt(row.to_position),
  };
}
