import { QUARTER_US, type Micros } from '../../domain/time.js';
import type { Query } from '../../platform/sql.js';
import { columnsFor } from '../../platform/rows/row-columns.js';
import { quarterOf } from '../../projections/quarters.js';
import { type Members, nameOfQuarter, type Quarter } from './members.js';

/** A node, and the time range of the quarter `n` in which its rows are searched. */
interface QuarterSource {
  readonly n: number;
  readonly nodeKey: number;
  readonly ownerKey: number;
  readonly fromAt: Micros;
  readonly toAt: Micros;
}
const SOURCES = columnsFor({
  n: 'int4',
  nodeKey: 'int4',
  ownerKey: 'int4',
  fromAt: 'timestamptz',
  toAt: 'timestamptz',
});

/** The time of a row that depends on rows of the quarter `n`. */
interface DependentRow {
  readonly n: number;
  readonly timeAt: Micros;
}

/** Submissions at one DA height that are searched beyond the number of fees imported for it. */
const MOST_AT_HEIGHT = 1_000;

/**
 * Other quarters of the same owners whose figures change with the rows of these quarters.
 *
 * An imported fee goes to the first submission at its DA height, the next fee to the next submission. An added or removed row
 * therefore changes which fees are left for other rows at the same height.
 */
export async function getTouchedQuarters(
  query: Query,
  quarters: readonly Quarter[],
  members: Members,
): Promise<Quarter[]> {
  const known = new Set(quarters.map(nameOfQuarter));
  const sources = quarters.flatMap((quarter, n) => toSources(quarter, n, members));
  const found = await getPaidTogether(
    query,
    sources.filter(({ n }) => members.hasFees(quarters[n] as Quarter)),
  );
  return found.flatMap(({ n, timeAt }) => {
    const quarter = { ...(quarters[n] as Quarter), quarterAt: quarterOf(timeAt) };
    const name = nameOfQuarter(quarter);
    if (known.has(name)) return [];
    known.add(name);
    return [quarter];
  });
}

function toSources(quarter: Quarter, n: number, members: Members): QuarterSource[] {
  const { nodeKey: ownerKey, quarterAt: fromAt } = quarter;
  return members.of(quarter).map((nodeKey) => ({ n, nodeKey, ownerKey, fromAt, toAt: fromAt + QUARTER_US }));
}

/** Times of the rows at those DA heights of these quarters for which fees were imported; withdrawn rows count as well. */
async function getPaidTogether(query: Query, sources: readonly QuarterSource[]): Promise<DependentRow[]> {
  if (sources.length === 0) return [];
  const from = SOURCES.unnest(sources, 'i');
  return query(
    `WITH source AS (SELECT * FROM ${from.sql}),
       row AS (
         SELECT i.n, i.owner_key, i.node_key, i.from_at, i.to_at FROM source i
         UNION SELECT i.n, 0, NULL, i.from_at, i.to_at FROM source i WHERE i.owner_key = 0),
       height AS (
         SELECT DISTINCT r.n, r.owner_key, s.chain_id, s.da_height
           FROM row r CROSS JOIN LATERAL (
             SELECT s.chain_id, s.da_height FROM submission s
              WHERE s.node_key = r.node_key AND s.time_at >= r.from_at AND s.time_at < r.to_at AND s.da_height IS NOT NULL
             UNION ALL
             SELECT s.chain_id, s.da_height FROM submission s
              WHERE r.node_key IS NULL AND s.node_key IS NULL AND s.time_at >= r.from_at AND s.time_at < r.to_at) s),
       paid AS (
         SELECT h.*, f.fees FROM height h CROSS JOIN LATERAL (
             SELECT count(*) AS fees FROM imported_fee f WHERE f.chain = h.chain_id AND f.da_height = h.da_height) f
          WHERE f.fees > 0)
     SELECT DISTINCT p.n, o.time_at AS "timeAt"
       FROM paid p CROSS JOIN LATERAL (
         SELECT o.time_at FROM submission o
          WHERE o.da_height = p.da_height AND o.chain_id = p.chain_id AND (p.owner_key = 0 OR o.node_key = p.owner_key)
          ORDER BY o.node_key, o.sequence LIMIT p.fees + ${MOST_AT_HEIGHT}) o`,
    from.parameters,
  );
}
