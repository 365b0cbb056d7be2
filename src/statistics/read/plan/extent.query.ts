import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../../platform/sql.js';
import { Grain } from '../../roll-up/stored-rows.js';
import type { Scope } from './scope.query.js';

/** From the first to the last moment of which something is known; both belong to it. */
export interface Extent {
  readonly fromUs: Micros;
  readonly lastUs: Micros;
}

/**
 * The time that a report covers when none is named. It is from the first to the last quarter hour with submissions, and
 * the time in which the lists were watched. Blocks alone don't stretch it, for their times are whatever their proposer
 * says. Nothing reaches beyond now.
 *
 * @param withBlocks lets blocks stretch it all the same: of a report whose time is known
 */
export async function getExtent(
  query: Query,
  scope: Scope,
  nowUs: Micros,
  withBlocks = false,
): Promise<Extent | undefined> {
  const tables = ['statistic', ...(withBlocks ? ['block_statistic'] : [])];
  const ofTables = tables.map(
    (table) => `
             SELECT min(s.bucket_at) AS first, max(s.bucket_at) AS last FROM ${table} s
              WHERE s.node_key = owner.node_key AND s.chain = owner.chain AND s.grain = ${Grain.QUARTER}`,
  );
  const rows = await query<{ first: Micros | null; last: Micros | null }>(
    `SELECT min(found.first) AS first, max(found.last) AS last
       FROM (
         SELECT stored.first, stored.last
           FROM unnest($1::int[], $2::text[]) AS owner (node_key, chain)
           CROSS JOIN LATERAL (${ofTables.join(' UNION ALL ')}
           ) AS stored
         UNION ALL
         SELECT min(c.from_at), max(c.to_at) - interval '1 microsecond' FROM coverage_interval c
          WHERE c.node = ANY ($3::text[]) AND c.from_at < c.to_at
       ) AS found`,
    [
      scope.owners.map(({ nodeKey }) => nodeKey),
      scope.owners.map(({ chain }) => chain),
      [...scope.nodes.values()],
    ],
  );
  const { first = null, last = null } = rows[0] ?? {};
  if (first === null || last === null || first > nowUs) return undefined;
  return { fromUs: first, lastUs: last > nowUs ? nowUs : last };
}
