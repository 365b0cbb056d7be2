import type { Query } from '../../platform/sql.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import { isDue, isSetAside, isWaiting } from './set-aside.js';
import { trySubjectLock, type Quarter, type Subject } from './subject.js';

/** Bounds of what one transaction takes. */
export interface MarkLimits {
  readonly subjects: number;
  readonly quarters: number;
  /** Of one subject, so that a long rebuild of one does not make the others wait. */
  readonly quartersOfSubject: number;
}

const COLUMNS = [
  column('node_key', 'int4', ({ nodeKey }: Quarter) => nodeKey),
  column('chain', 'text', ({ chain }: Quarter) => chain),
  column('quarter_at', 'timestamptz', ({ quarterUs }: Quarter) => quarterUs),
];

interface QuarterRow {
  readonly node_key: number;
  readonly chain: string;
  readonly quarter_us: string;
}

/** Before the first subject. */
export const BEFORE_ALL: Subject = { nodeKey: -1, chain: '' };

/** The subjects that have marks, after another one in their order, each looked up once in the index. */
function markedSubjects(after: string): string {
  const next = (than: string) => `SELECT m.node_key, m.chain FROM roll_up_mark m
     WHERE (m.node_key, m.chain) > (${than}) ORDER BY m.node_key, m.chain LIMIT 1`;
  return `subject AS ((${next(after)}) UNION ALL
    SELECT n.node_key, n.chain FROM subject s CROSS JOIN LATERAL (${next('s.node_key, s.chain')}) n)`;
}

/**
 * Picks marked quarters of subjects after another one and locks the subjects until the transaction ends. Subjects that
 * another process has locked are left to it; those that are set aside are left out.
 *
 * @returns by the order of the subjects, the newest quarters of each first
 */
export function lockMarkedQuarters(query: Query, after: Subject, limits: MarkLimits): Promise<Quarter[]> {
  // Only a CASE makes sure that no subject is locked that is not wanted.
  const wanted = `CASE WHEN ${isSetAside('s')} THEN false ELSE ${trySubjectLock('s')} END`;
  return pickQuarters(query, { subjects: markedSubjects('$1::int4, $2::text'), wanted }, after, limits);
}

/** As {@link lockMarkedQuarters}, of the subjects that are set aside and due to be tried again. */
export function lockDueQuarters(query: Query, limits: MarkLimits): Promise<Quarter[]> {
  const subjects = `subject AS (SELECT f.node_key, f.chain FROM roll_up_fault f
    WHERE (f.node_key, f.chain) > ($1::int4, $2::text) AND ${isDue('f')} ORDER BY f.tried_at)`;
  return pickQuarters(query, { subjects, wanted: trySubjectLock('s') }, BEFORE_ALL, limits);
}

async function pickQuarters(
  query: Query,
  { subjects, wanted }: { readonly subjects: string; readonly wanted: string },
  after: Subject,
  limits: MarkLimits,
): Promise<Quarter[]> {
  const rows = await query<QuarterRow>(
    `WITH RECURSIVE ${subjects},
       won AS MATERIALIZED (
         SELECT node_key, chain, row_number() OVER () AS turn FROM (
           SELECT s.node_key, s.chain FROM subject s WHERE ${wanted} LIMIT $3) s)
     SELECT w.node_key, w.chain, (extract(epoch FROM q.quarter_at) * 1000000)::bigint AS quarter_us
       FROM won w CROSS JOIN LATERAL (
         SELECT DISTINCT m.quarter_at FROM roll_up_mark m WHERE m.node_key = w.node_key AND m.chain = w.chain
          ORDER BY m.quarter_at DESC LIMIT $5) q
      ORDER BY w.turn, q.quarter_at DESC LIMIT $4`,
    [after.nodeKey, after.chain, limits.subjects, limits.quarters, limits.quartersOfSubject],
  );
  return rows.map(({ node_key: nodeKey, chain, quarter_us }) => ({
    nodeKey,
    chain,
    quarterUs: BigInt(quarter_us),
  }));
}

/** Deletes the marks of these quarters. What is marked from now on is there for the next run. */
export async function deleteMarks(query: Query, quarters: readonly Quarter[]): Promise<void> {
  const taken = unnestRows(COLUMNS, quarters, 't');
  await query(
    `DELETE FROM roll_up_mark m USING ${taken.sql}
      WHERE m.node_key = t.node_key AND m.chain = t.chain AND m.quarter_at = t.quarter_at`,
    taken.parameters,
  );
}

/** Whether there are marks of a subject that may be computed. */
export async function hasAnyMark(query: Query): Promise<boolean> {
  // By the index: behind the marks that were deleted, a scan of the table would have far to go.
  const rows = await query(
    `WITH RECURSIVE ${markedSubjects(`${BEFORE_ALL.nodeKey}, ''`)}
     SELECT s.node_key FROM subject s WHERE CASE WHEN ${isWaiting('s')} THEN false ELSE true END LIMIT 1`,
  );
  return rows.length > 0;
}

/** The earliest quarter that is marked, Unix microseconds. */
export async function findOldestMark(query: Query): Promise<bigint | undefined> {
  const [row] = await query<{ us: string | null }>(
    `WITH RECURSIVE ${markedSubjects(`${BEFORE_ALL.nodeKey}, ''`)}
     SELECT (extract(epoch FROM min((
       SELECT min(m.quarter_at) FROM roll_up_mark m WHERE m.node_key = s.node_key AND m.chain = s.chain)))
       * 1000000)::bigint AS us FROM subject s`,
  );
  return row?.us ? BigInt(row.us) : undefined;
}

/** What is marked again; all when nothing is given. */
export interface MarkRange {
  readonly chain?: string | undefined;
  /** Unix microseconds. */
  readonly fromUs?: bigint | undefined;
  /** Excluded. */
  readonly toUs?: bigint | undefined;
}

const QUARTER = "interval '15 minutes'";
/** Any quarter hour of UTC: others are told by their distance. */
const ORIGIN = "timestamptz '2000-01-01 00:00:00+00'";

/** Blocks of an impossible time count under 1970 or 2200, as the record marks them. */
const BLOCK_QUARTER = 'to_timestamp(least(greatest(floor(b.time_ns / 900000000000.0), 0), 8064576) * 900)';

/** Marks every quarter that has submissions, blocks or statistics, of nodes and of chains. */
export async function markEverything(query: Query, { chain, fromUs, toUs }: MarkRange): Promise<void> {
  const at = (us: bigint | undefined) => (us === undefined ? null : us.toString());
  const quarter = (time: string) => `date_bin(${QUARTER}, ${time}, ${ORIGIN})`;
  const chainOf = "coalesce(l.chain_id, n.chain_id, '')";
  await query(
    `INSERT INTO roll_up_mark (node_key, chain, quarter_at)
     WITH touched (node_key, chain, quarter_at) AS (
       SELECT DISTINCT coalesce(s.node_key, 0), ${chainOf}, ${quarter('s.time_at')}
         FROM submission s LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
         LEFT JOIN node n ON n.node_key = s.node_key
       UNION
       SELECT DISTINCT b.node_key, l.chain_id, ${BLOCK_QUARTER}
         FROM block b JOIN lineage l ON l.lineage_key = b.lineage_key
       UNION SELECT DISTINCT node_key, chain, ${quarter('bucket_at')} FROM statistic
       UNION SELECT DISTINCT node_key, chain, ${quarter('bucket_at')} FROM block_statistic),
     wanted AS (
       SELECT * FROM touched WHERE ($1::text IS NULL OR chain = $1)
          AND ($2::bigint IS NULL OR quarter_at + ${QUARTER} > to_timestamp($2::bigint / 1e6))
          AND ($3::bigint IS NULL OR quarter_at < to_timestamp($3::bigint / 1e6)))
     SELECT node_key, '', quarter_at FROM wanted WHERE node_key <> 0
     UNION SELECT 0, chain, quarter_at FROM wanted WHERE chain <> ''`,
    [chain ?? null, at(fromUs), at(toUs)],
  );
}
