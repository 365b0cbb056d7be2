import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../../platform/sql.js';

/**
 * When chains began, of those of which it is known: the time of the first block of their first history. Before it there was nothing
 * to watch. Its proposer says that time, so what is known of an earlier one counts more: a first contact, or a submission.
 * The same stands in the views of `reporting`.
 * @param knownAt position of the log: blocks that were recorded by then; undefined: all
 */
export async function getChainBegins(
  query: Query,
  chains: readonly string[],
  knownAt: bigint | undefined,
): Promise<ReadonlyMap<string, Micros>> {
  const rows = await query<{ chain: string; begin: Micros }>(
    `SELECT chain, least(first.at, contact.at, CASE WHEN earliest.at + interval '15 minutes' <= first.at THEN earliest.at END) AS begin
       FROM unnest($1::text[]) AS asked (chain)
      CROSS JOIN LATERAL (
            SELECT timestamptz 'epoch' + interval '1 microsecond' * floor(min(b.time_ns) / 1000.0)::double precision AS at
              FROM lineage l CROSS JOIN node n JOIN block b USING (node_key)
             WHERE l.chain_id = asked.chain AND l.n = 1 AND b.lineage_key = l.lineage_key AND b.height = 1
               AND ($2::bigint IS NULL OR b.from_position <= $2)) AS first
      CROSS JOIN LATERAL (
            SELECT min(c.from_at) AS at FROM node n JOIN coverage_interval c ON c.node = n.id AND c.number = 0
             WHERE n.chain_id = asked.chain) AS contact
      CROSS JOIN LATERAL (
            SELECT min(s.bucket_at) AS at FROM statistic s
             WHERE s.node_key = 0 AND s.chain = asked.chain AND s.grain = 0) AS earliest
      WHERE first.at IS NOT NULL`,
    [chains, knownAt ?? null],
  );
  return new Map(rows.map(({ chain, begin }) => [chain, begin]));
}
