import type { Query } from '../../../platform/sql.js';
import { selectMicros } from './micros.js';
import { QUARTERS } from './pieces.js';
import type { Scope } from './scope.query.js';

/** From the first to the last moment of which something is known, in Unix microseconds; both belong to it. */
export interface Extent {
  readonly fromUs: bigint;
  readonly lastUs: bigint;
}

/**
 * The time that a report covers when none is named: from the first to the last quarter hour with submissions, and the
 * time in which the lists were watched. Blocks alone don't stretch it, for their times are whatever their proposer
 * says; nor does anything reach beyond now.
 */
export async function getExtent(query: Query, scope: Scope, nowUs: bigint): Promise<Extent | undefined> {
  const rows = await query<{ first: string | null; last: string | null }>(
    `SELECT ${selectMicros('min(found.first)', 'first')}, ${selectMicros('max(found.last)', 'last')}
       FROM (
         SELECT stored.first, stored.last
           FROM unnest($1::int[], $2::text[]) AS subject (node_key, chain)
           CROSS JOIN LATERAL (
             SELECT min(s.bucket_at) AS first, max(s.bucket_at) AS last FROM statistic s
              WHERE s.node_key = subject.node_key AND s.chain = subject.chain AND s.grain = ${QUARTERS}
           ) AS stored
         UNION ALL
         SELECT min(c.from_at), max(c.to_at) - interval '1 microsecond' FROM coverage_interval c
          WHERE c.node = ANY ($3::text[]) AND c.from_at < c.to_at
       ) AS found`,
    [
      scope.subjects.map(({ nodeKey }) => nodeKey),
      scope.subjects.map(({ chain }) => chain),
      [...scope.nodes.values()],
    ],
  );
  const { first, last } = rows[0] ?? {};
  if (first === null || first === undefined || last === null || last === undefined) return undefined;
  const [fromUs, lastUs] = [BigInt(first), BigInt(last)];
  return fromUs > nowUs ? undefined : { fromUs, lastUs: lastUs > nowUs ? nowUs : lastUs };
}
