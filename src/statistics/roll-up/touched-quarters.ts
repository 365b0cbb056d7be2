import type { Query } from '../../platform/sql.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Members } from './members.js';
import { nameOfQuarter, QUARTER_US, quarterOf, type Quarter } from './subject.js';

interface Source {
  readonly index: number;
  readonly nodeKey: number;
  readonly ownerKey: number;
  readonly fromUs: bigint;
}
const SOURCE_COLUMNS = [
  column('n', 'int4', ({ index }: Source) => index),
  column('node_key', 'int4', ({ nodeKey }: Source) => nodeKey),
  column('owner_key', 'int4', ({ ownerKey }: Source) => ownerKey),
  column('from_at', 'timestamptz', ({ fromUs }: Source) => fromUs),
  column('to_at', 'timestamptz', ({ fromUs }: Source) => fromUs + QUARTER_US),
];

/** Submissions of one DA height beyond the fees imported for it that are looked through. */
const MOST_AT_HEIGHT = 1_000;

/**
 * Other quarters of the same subjects whose figures hang on rows of these: a wild row counts or not by its twins
 * elsewhere, and imported fees go to the submissions of a DA height in their order.
 */
export async function getTouchedQuarters(
  query: Query,
  quarters: readonly Quarter[],
  members: Members,
): Promise<Quarter[]> {
  const known = new Set(quarters.map(nameOfQuarter));
  const touched: Quarter[] = [];
  const note = (rows: readonly { n: number; time_us: string }[]) => {
    for (const { n, time_us } of rows) {
      const quarter = { ...(quarters[n] as Quarter), quarterUs: quarterOf(BigInt(time_us)) };
      if (known.has(nameOfQuarter(quarter))) continue;
      known.add(nameOfQuarter(quarter));
      touched.push(quarter);
    }
  };
  const sources = quarters.flatMap((quarter, index) => toSources(quarter, index, members));
  const ofShared = sources.filter(
    ({ index, ownerKey }) => ownerKey === 0 && members.isShared(quarters[index] as Quarter),
  );
  if (ofShared.length > 0) note(await getTwins(query, ofShared));
  const withFees = quarters.flatMap((quarter, index) =>
    members.hasFees(quarter) ? toSources(quarter, index, members) : [],
  );
  if (withFees.length > 0) note(await getPaidTogether(query, withFees));
  return touched;
}

function toSources(quarter: Quarter, index: number, members: Members): Source[] {
  const { nodeKey: ownerKey, quarterUs: fromUs } = quarter;
  return members.of(quarter).map((nodeKey) => ({ index, nodeKey, ownerKey, fromUs }));
}

/** Times of wild rows that equal a row of another node in these quarters. */
function getTwins(query: Query, sources: readonly Source[]): Promise<{ n: number; time_us: string }[]> {
  const from = unnestRows(SOURCE_COLUMNS, sources, 'i');
  return query(
    `WITH source AS (SELECT * FROM ${from.sql}),
       twin AS (
         SELECT i.n, w.time_at FROM source i CROSS JOIN LATERAL (
             SELECT w.time_at, w.occurred_at, w.digest FROM submission w
              WHERE w.wild_time AND w.occurred_at >= i.from_at AND w.occurred_at < i.to_at AND w.node_key = i.node_key
             OFFSET 0) w
          WHERE EXISTS (SELECT FROM source o JOIN submission s ON s.node_key = o.node_key AND s.time_at = w.occurred_at
                         WHERE o.n = i.n AND o.node_key <> i.node_key AND s.digest = w.digest AND NOT s.wild_time)
         UNION
         SELECT i.n, w.time_at FROM source i CROSS JOIN LATERAL (
             SELECT s.occurred_at, s.digest FROM submission s
              WHERE s.node_key = i.node_key AND s.time_at >= i.from_at AND s.time_at < i.to_at AND s.wild_time
                AND s.occurred_at IS NOT NULL
             OFFSET 0) s
           JOIN source o ON o.n = i.n AND o.node_key <> i.node_key
           JOIN submission w ON w.wild_time AND w.occurred_at = s.occurred_at AND w.digest = s.digest
                            AND w.node_key = o.node_key)
     SELECT n, (extract(epoch FROM time_at) * 1000000)::bigint AS time_us FROM twin`,
    from.parameters,
  );
}

/** Times of the rows at those DA heights of these quarters for which fees were imported; withdrawn rows count as well. */
function getPaidTogether(
  query: Query,
  sources: readonly Source[],
): Promise<{ n: number; time_us: string }[]> {
  const from = unnestRows(SOURCE_COLUMNS, sources, 'i');
  const chain = (row: string, node: string) => `coalesce(${row}.chain_id, ${node}.chain_id, '')`;
  return query(
    `WITH source AS (SELECT * FROM ${from.sql}),
       row AS (
         SELECT i.n, i.owner_key, i.node_key, i.from_at, i.to_at FROM source i
         UNION SELECT i.n, 0, NULL, i.from_at, i.to_at FROM source i WHERE i.owner_key = 0),
       height AS (
         SELECT DISTINCT r.n, r.owner_key, ${chain('l', 'd')} AS chain, s.da_height
           FROM row r CROSS JOIN LATERAL (
             SELECT s.lineage_key, s.node_key, s.da_height FROM submission s
              WHERE s.node_key = r.node_key AND s.time_at >= r.from_at AND s.time_at < r.to_at AND s.da_height IS NOT NULL
             UNION ALL
             SELECT s.lineage_key, s.node_key, s.da_height FROM submission s
              WHERE r.node_key IS NULL AND s.node_key IS NULL AND s.time_at >= r.from_at AND s.time_at < r.to_at) s
           LEFT JOIN lineage l ON l.lineage_key = s.lineage_key LEFT JOIN node d ON d.node_key = s.node_key),
       paid AS (
         SELECT h.*, f.fees FROM height h CROSS JOIN LATERAL (
             SELECT count(*) AS fees FROM imported_fee f WHERE f.chain = h.chain AND f.da_height = h.da_height) f
          WHERE f.fees > 0)
     SELECT DISTINCT p.n, (extract(epoch FROM o.time_at) * 1000000)::bigint AS time_us
       FROM paid p CROSS JOIN LATERAL (
         SELECT o.time_at FROM submission o
           LEFT JOIN lineage l ON l.lineage_key = o.lineage_key LEFT JOIN node d ON d.node_key = o.node_key
          WHERE o.da_height = p.da_height AND (p.owner_key = 0 OR o.node_key = p.owner_key)
            AND ${chain('l', 'd')} = p.chain
          ORDER BY o.node_key, o.sequence LIMIT p.fees + ${MOST_AT_HEIGHT}) o`,
    from.parameters,
  );
}
