import {
  evidenceCodeOf,
  kindCodeOf,
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
} from '../../domain/submissions/submission-codes.js';
import { codeOf } from '../../platform/errors.js';
import { type Database, inTransaction, type Query } from '../../platform/sql.js';
import { isKnownAt } from '../record/readers/known-rows.reader.js';

/** The schemas of the live record and of the new one that is about to replace it. */
export interface RecordSides {
  readonly live: string;
  readonly fresh: string;
}

/** One kind of difference between the two records, within one chain. */
export interface RecordDifference {
  readonly what: string;
  readonly before: string;
  readonly after: string;
  /** Empty for rows of a node that has named no chain. */
  readonly chain: string;
  readonly count: bigint;
  readonly examples: readonly string[];
}

/** The differences in one part of the record, most frequent first. */
export interface ComparedPart {
  readonly part: string;
  /** Undefined if the comparison took too long. */
  readonly differences: readonly RecordDifference[] | undefined;
  /** The number of kinds beyond the listed ones. */
  readonly more: bigint;
}

/** Limit for one part; the server cancels a longer comparison. */
const STATEMENT_TIMEOUT = '10min';
const MOST_DIFFERENCES = 100;
const EXAMPLES = 3;
const TOOK_TOO_LONG = '57014';

const CONFIRMED = evidenceCodeOf('CONFIRMED');
const UNDECIDED_KINDS = [kindCodeOf('MIXED'), kindCodeOf('UNKNOWN')].join(', ');

/**
 * Compares two records of one log, as both knew it at the position that both have read. It covers the rows that nodes
 * showed, the rows that only blocks prove, losses, and attempts as a chain counts them. Each part is one statement, so only
 * its result is in memory.
 */
export async function compareRecords(dataSource: Database, sides: RecordSides): Promise<ComparedPart[]> {
  const parts = {
    'recorded rows': shownDifferences,
    'rows of no node': provenDifferences,
    losses: lossDifferences,
    'counted attempts': attemptDifferences,
  };
  const compared: ComparedPart[] = [];
  for (const [part, differences] of Object.entries(parts)) {
    compared.push({ part, ...(await comparePart(dataSource, sides, differences)) });
  }
  return compared;
}

type DifferenceRow = RecordDifference & { readonly groups: bigint };

async function comparePart(
  dataSource: Database,
  sides: RecordSides,
  differences: (before: Side, after: Side) => string,
): Promise<Omit<ComparedPart, 'part'>> {
  try {
    const rows = await inTransaction(dataSource, async (query) => {
      await query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      await query(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
      const position = await readCommonPosition(query, sides);
      const [before, after] = [sideOf(sides.live, position), sideOf(sides.fresh, position)];
      return query<DifferenceRow>(grouped(differences(before, after)));
    });
    const groups = rows[0]?.groups ?? 0n;
    return { differences: rows, more: groups - BigInt(rows.length) };
  } catch (error) {
    if (codeOf(error) !== TOOK_TOO_LONG) throw error;
    return { differences: undefined, more: 0n };
  }
}

async function readCommonPosition(query: Query, { live, fresh }: RecordSides): Promise<bigint> {
  const of = (schema: string) =>
    `SELECT position FROM "${schema}".projection_checkpoint WHERE name = 'record'`;
  const [row] = await query<{ position: bigint | null }>(
    `SELECT min(position) AS position FROM (${of(live)} UNION ALL ${of(fresh)}) both_of_them`,
  );
  return row?.position ?? 0n;
}

/** FROM items with one record's rows, as known at the position. */
interface Side {
  readonly shown: string;
  readonly proven: string;
  readonly losses: string;
  /** Condition: the row's evidence was already decided at the position. */
  readonly isDecided: (row: string) => string;
  /** Condition: a recorded attempt may be the row `o`, which no node showed. */
  readonly mayBeShown: string;
}

function sideOf(schema: string, position: bigint): Side {
  const table = (name: string) => `"${schema}"."${name}"`;
  const rows = (condition: string) => `(
    SELECT s.node_key, s.sequence, s.kind, s.evidence, s.evidence_from_position, s.digest, s.occurred_at, s.da_height,
           s.blob_count, s.size_bytes, s.possible, coalesce(s.chain_id, '') AS chain,
           s.lineage_key, l.n, d.id AS node
      FROM ${table('submission')} s LEFT JOIN ${table('lineage')} l ON l.lineage_key = s.lineage_key
      LEFT JOIN ${table('node')} d ON d.node_key = s.node_key
     WHERE ${isKnownAt(position, 's')} AND ${condition})`;
  return {
    shown: rows('s.node_key IS NOT NULL'),
    proven: rows('s.node_key IS NULL'),
    losses: `(SELECT l.*, coalesce(d.chain_id, '') AS chain, d.id AS node FROM ${table('loss')} l
                JOIN ${table('node')} d ON d.node_key = l.node_key WHERE ${isKnownAt(position, 'l')})`,
    isDecided: (row) => `${row}.evidence_from_position <= ${position}`,
    mayBeShown: `EXISTS (SELECT FROM ${table('submission')} s
       WHERE s.da_height = o.da_height AND s.lineage_key = o.lineage_key AND s.node_key IS NOT NULL
         AND (s.status = 0 OR s.evidence = ${CONFIRMED}) AND (s.kind = o.kind OR s.kind IN (${UNDECIDED_KINDS})))`,
  };
}

/** Counts rows of (what, before, after, chain, place, example), most frequent first, with a few examples of each. */
function grouped(differences: string): string {
  return `SELECT what, before, after, chain, count(*) AS count,
       coalesce(array_agg(example ORDER BY k) FILTER (WHERE k <= ${EXAMPLES}), '{}') AS examples,
       count(*) OVER () AS groups
    FROM (SELECT d.*, row_number() OVER (PARTITION BY what, before, after, chain ORDER BY place, example) AS k
            FROM (${differences}) d) numbered
   GROUP BY what, before, after, chain ORDER BY count(*) DESC, what, before, after, chain LIMIT ${MOST_DIFFERENCES}`;
}

/** Rows of nodes that only one record has, or that differ between the records. */
function shownDifferences(before: Side, after: Side): string {
  const evidence = (row: string) => nameOf(SUBMISSION_EVIDENCES, `${row}.evidence`);
  const kind = (row: string) => nameOf(SUBMISSION_KINDS, `${row}.kind`);
  const there = (row: string) => `CASE WHEN ${row}.sequence IS NULL THEN 'none' ELSE 'there' END`;
  const isBoth = 'o.sequence IS NOT NULL AND n.sequence IS NOT NULL';
  return `SELECT d.what, d.before, d.after, coalesce(n.chain, o.chain) AS chain, coalesce(n.sequence, o.sequence) AS place,
       concat(coalesce(n.node, o.node), '/', coalesce(n.sequence, o.sequence),
              ' at DA ' || coalesce(n.da_height, o.da_height)) AS example
    FROM ${before.shown} o FULL JOIN ${after.shown} n ON n.node_key = o.node_key AND n.sequence = o.sequence
   CROSS JOIN LATERAL (VALUES
     ('row', ${there('o')}, ${there('n')}, NOT (${isBoth})),
     ('evidence', ${evidence('o')}, ${evidence('n')},
       ${isBoth} AND o.evidence <> n.evidence AND ${before.isDecided('o')} AND ${after.isDecided('n')}),
     ('kind', ${kind('o')}, ${kind('n')}, ${isBoth} AND o.kind <> n.kind),
     ('chain', o.chain, n.chain, ${isBoth} AND o.chain <> n.chain),
     ('lineage', coalesce(o.n::text, 'none'), coalesce(n.n::text, 'none'),
       ${isBoth} AND o.chain = n.chain AND o.n IS DISTINCT FROM n.n)) d (what, before, after, differs)
   WHERE d.differs`;
}

function provenDifferences(before: Side, after: Side): string {
  const isSame = 'n.lineage_key = o.lineage_key AND n.da_height = o.da_height AND n.kind = o.kind';
  const evidence = (row: string) => nameOf(SUBMISSION_EVIDENCES, `${row}.evidence`);
  return `SELECT 'row' AS what, coalesce(${evidence('o')}, 'none') AS before,
       CASE WHEN n.evidence = o.evidence THEN 'with other numbers'
            WHEN n.kind IS NOT NULL THEN ${evidence('n')}
            WHEN ${after.mayBeShown} THEN 'none: a recorded attempt is it'
            ELSE 'none: not proven' END AS after,
       coalesce(n.chain, o.chain) AS chain, coalesce(n.da_height, o.da_height) AS place,
       concat('DA ', coalesce(n.da_height, o.da_height), ' ',
              ${nameOf(SUBMISSION_KINDS, 'coalesce(n.kind, o.kind)')}) AS example
    FROM ${before.proven} o FULL JOIN ${after.proven} n ON ${isSame}
   WHERE o.kind IS NULL OR n.kind IS NULL
      OR (o.evidence, o.blob_count, o.size_bytes, o.possible)
         IS DISTINCT FROM (n.evidence, n.blob_count, n.size_bytes, n.possible)`;
}

function lossDifferences(before: Side, after: Side): string {
  const there = (row: string) => `CASE WHEN ${row}.loss_position IS NULL THEN 'none' ELSE 'there' END`;
  const bounds = (row: string) => `concat(${row}.min_lost, ' to ', coalesce(${row}.max_lost::text, '?'),
    ', likely ' || ${row}.likely_lost)`;
  return `SELECT 'loss' AS what, ${there('o')} AS before,
       CASE WHEN o.loss_position IS NULL OR n.loss_position IS NULL THEN ${there('n')} ELSE 'with other bounds' END AS after,
       coalesce(n.chain, o.chain) AS chain, coalesce(n.loss_position, o.loss_position) AS place,
       concat(coalesce(n.node, o.node), ' after ', coalesce(n.after_sequence, o.after_sequence), ': ',
              CASE WHEN o.loss_position IS NULL THEN 'none' ELSE ${bounds('o')} END, '; then ',
              CASE WHEN n.loss_position IS NULL THEN 'none' ELSE ${bounds('n')} END) AS example
    FROM ${before.losses} o FULL JOIN ${after.losses} n ON n.loss_position = o.loss_position
   WHERE o.loss_position IS NULL OR n.loss_position IS NULL
      OR (o.min_lost, o.max_lost, o.likely_lost) IS DISTINCT FROM (n.min_lost, n.max_lost, n.likely_lost)`;
}

/** A chain's attempts (equal rows of several nodes are one attempt) at the times of rows that differ. */
function attemptDifferences(before: Side, after: Side): string {
  const counted = (side: Side) => `
    SELECT chain, occurred_at, sum(most) AS attempts, min(example) AS example FROM (
      SELECT chain, occurred_at, max(n) AS most, min(example) AS example FROM (
        SELECT chain, occurred_at, digest, count(*) AS n, min(concat(node, '/', sequence, ' at DA ' || da_height)) AS example
          FROM ${side.shown} s JOIN touched USING (occurred_at) GROUP BY chain, occurred_at, digest, node_key) of_node
       GROUP BY chain, occurred_at, digest) of_attempt
     GROUP BY chain, occurred_at`;
  return `WITH touched AS MATERIALIZED (
       SELECT DISTINCT coalesce(o.occurred_at, n.occurred_at) AS occurred_at
         FROM ${before.shown} o FULL JOIN ${after.shown} n ON n.node_key = o.node_key AND n.sequence = o.sequence
        WHERE coalesce(o.occurred_at, n.occurred_at) IS NOT NULL
          AND (o.chain, o.digest) IS DISTINCT FROM (n.chain, n.digest)),
       o AS (${counted(before)}), n AS (${counted(after)})
     SELECT 'attempt' AS what, 'counted' AS before,
            CASE WHEN coalesce(n.attempts, 0) > coalesce(o.attempts, 0) THEN 'once more' ELSE 'once less' END AS after,
            chain, 0 AS place, coalesce(n.example, o.example) AS example
       FROM o FULL JOIN n USING (chain, occurred_at)
      CROSS JOIN LATERAL generate_series(1, abs(coalesce(n.attempts, 0) - coalesce(o.attempts, 0))::int) AS each
      WHERE chain <> ''`;
}

function nameOf(names: readonly string[], code: string): string {
  return `(ARRAY[${names.map((name) => `'${name}'`).join(', ')}])[${code} + 1]`;
}
