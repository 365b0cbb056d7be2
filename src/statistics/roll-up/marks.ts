import type { Micros } from '../../domain/time.js';
import { deleteRows } from '../../platform/rows/write-rows.js';
import type { Query, Database } from '../../platform/sql.js';
import { blockQuarterSql, quarterSql } from '../../projections/quarters.js';
import { RollUpMarkEntity } from '../../tables/statistics.entities.js';
import { tryOwnerLock, type MarkOwner, type Quarter } from './members.js';
import { isDue, isQuarantined, isWaiting } from './quarantine.js';

export interface MarkLimits {
  readonly owners: number;
  readonly quarters: number;
  /** Quarters of one owner, so that a long rebuild of one owner does not make the others wait. */
  readonly quartersOfOwner: number;
}

export const BEFORE_ALL: MarkOwner = { nodeKey: -1, chain: '' };

/** SQL: the owners with marks that come after another owner in order, each found by one index look-up. */
function markedOwners(after: string): string {
  const next = (than: string) => `SELECT m.node_key, m.chain FROM roll_up_mark m
     WHERE (m.node_key, m.chain) > (${than}) ORDER BY m.node_key, m.chain LIMIT 1`;
  return `owner AS ((${next(after)}) UNION ALL
    SELECT n.node_key, n.chain FROM owner o CROSS JOIN LATERAL (${next('o.node_key, o.chain')}) n)`;
}
const ALL_OWNERS = markedOwners(`${BEFORE_ALL.nodeKey}, ''`);

/**
 * Picks marked quarters of the owners that come after `after`, and locks these owners until the transaction ends. Skips owners
 * that another process has locked, and quarantined owners.
 *
 * @returns quarters in the order of the owners, the newest quarters of each owner first
 */
export function lockMarkedQuarters(query: Query, after: MarkOwner, limits: MarkLimits): Promise<Quarter[]> {
  // Only a CASE makes sure that no unwanted owner is locked.
  const wanted = `CASE WHEN ${isQuarantined('o')} THEN false ELSE ${tryOwnerLock('o')} END`;
  return pickQuarters(query, { owners: markedOwners('$1::int4, $2::text'), wanted }, after, limits);
}

/** Like {@link lockMarkedQuarters}, for quarantined owners that are due for a retry. */
export function lockDueQuarters(query: Query, limits: MarkLimits): Promise<Quarter[]> {
  const owners = `owner AS (SELECT f.node_key, f.chain FROM roll_up_fault f
    WHERE (f.node_key, f.chain) > ($1::int4, $2::text) AND ${isDue('f')} ORDER BY f.tried_at)`;
  return pickQuarters(query, { owners, wanted: tryOwnerLock('o') }, BEFORE_ALL, limits);
}

function pickQuarters(
  query: Query,
  { owners, wanted }: { readonly owners: string; readonly wanted: string },
  after: MarkOwner,
  limits: MarkLimits,
): Promise<Quarter[]> {
  return query(
    `WITH RECURSIVE ${owners},
       won AS MATERIALIZED (
         SELECT node_key, chain, row_number() OVER () AS turn FROM (
           SELECT o.node_key, o.chain FROM owner o WHERE ${wanted} LIMIT $3) o)
     SELECT w.node_key AS "nodeKey", w.chain, q.quarter_at AS "quarterAt"
       FROM won w CROSS JOIN LATERAL (
         SELECT DISTINCT m.quarter_at FROM roll_up_mark m WHERE m.node_key = w.node_key AND m.chain = w.chain
          ORDER BY m.quarter_at DESC LIMIT $5) q
      ORDER BY w.turn, q.quarter_at DESC LIMIT $4`,
    [after.nodeKey, after.chain, limits.owners, limits.quarters, limits.quartersOfOwner],
  );
}

/** Deletes the marks of these quarters. Later marks remain for the next run. */
export function deleteMarks(query: Query, quarters: readonly Quarter[]): Promise<void> {
  return deleteRows(query, RollUpMarkEntity, ['nodeKey', 'chain', 'quarterAt'], quarters);
}

/** Whether any owner that may be computed has marks. */
export async function hasAnyMark(query: Query): Promise<boolean> {
  // Finds each owner by the index: deleted marks remain in the table until it is vacuumed, and a scan would read them all.
  const rows = await query(
    `WITH RECURSIVE ${ALL_OWNERS}
     SELECT o.node_key FROM owner o WHERE CASE WHEN ${isWaiting('o')} THEN false ELSE true END LIMIT 1`,
  );
  return rows.length > 0;
}

/** The range to mark again; everything if nothing is given. */
export interface MarkRange {
  readonly chain?: string | undefined;
  readonly fromUs?: Micros | undefined;
  /** Exclusive. */
  readonly toUs?: Micros | undefined;
}

const QUARTER = "interval '15 minutes'";
/** Marks every quarter that has submissions, blocks or statistics, of nodes and of chains. */
export async function markEverything(query: Query, { chain, fromUs, toUs }: MarkRange): Promise<void> {
  await query(
    `INSERT INTO roll_up_mark (node_key, chain, quarter_at)
     WITH touched (node_key, chain, quarter_at) AS (
       SELECT DISTINCT coalesce(s.node_key, 0), coalesce(s.chain_id, ''), ${quarterSql('s.time_at')} FROM submission s
       UNION
       SELECT DISTINCT b.node_key, l.chain_id, ${blockQuarterSql('b.time_ns')}
         FROM block b JOIN lineage l ON l.lineage_key = b.lineage_key
       UNION SELECT DISTINCT node_key, chain, ${quarterSql('bucket_at')} FROM statistic
       UNION SELECT DISTINCT node_key, chain, ${quarterSql('bucket_at')} FROM block_statistic),
     wanted AS (
       SELECT * FROM touched WHERE ($1::text IS NULL OR chain = $1)
          AND ($2::bigint IS NULL OR quarter_at + ${QUARTER} > to_timestamp($2::bigint / 1e6))
          AND ($3::bigint IS NULL OR quarter_at < to_timestamp($3::bigint / 1e6)))
     SELECT node_key, '', quarter_at FROM wanted WHERE node_key <> 0
     UNION SELECT 0, chain, quarter_at FROM wanted WHERE chain <> ''`,
    [chain ?? null, fromUs ?? null, toUs ?? null],
  );
}

/** Marks that wait to be computed, without those of quarantined owners, which would count as late forever. */
export interface Backlog {
  /** Seconds since the oldest mark was written, by the database's clock; 0 without marks. */
  readonly seconds: number;
  /** Whether the read models that the statistics are computed from have begun. */
  readonly hasSources: boolean;
}

/** Read models without which there is nothing to compute from. */
const SOURCES = ['record', 'prices'];

export async function readBacklog(dataSource: Pick<Database, 'query'>): Promise<Backlog> {
  const [row] = await dataSource.query<{ us: bigint | null; sources: number }[]>(
    // Checks the index first: with only deleted marks left, a table scan would read far and find nothing.
    `SELECT (SELECT (extract(epoch FROM clock_timestamp() - m.marked_at) * 1000000)::bigint FROM roll_up_mark m
              WHERE (SELECT true FROM roll_up_mark ORDER BY node_key, chain, quarter_at LIMIT 1)
                AND NOT ${isQuarantined('m')}
              ORDER BY m.marked_at LIMIT 1) AS us,
            (SELECT count(*)::int FROM projection_checkpoint WHERE name = ANY ($1)) AS sources`,
    [SOURCES],
  );
  return { seconds: Math.max(Number(row?.us ?? 0) / 1e6, 0), hasSources: row?.sources === SOURCES.length };
}

/** Number of marks that were written at `until` (as Postgres prints it) or before, without those of quarantined owners. */
export async function countMarks(dataSource: Pick<Database, 'query'>, until: string): Promise<number> {
  const [row] = await dataSource.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM roll_up_mark m WHERE m.marked_at <= $1 AND NOT ${isQuarantined('m')}`,
    [until],
  );
  return row?.count ?? 0;
}
