import type { ConditionOf } from '../../domain/alerts/alert-condition.js';
import type { Finding } from '../../domain/alerts/sampled-lines.js';
import { SHORT_GAP_MS } from '../../domain/health/coverage-line.js';
import { duration } from '../../domain/health/health-rule.js';
import { UNWATCHED_RULES } from '../../domain/health/trouble.js';
import type { LossKind } from '../../domain/submissions/loss-explanation.js';
import { formatTime, microsToMillis, millisToNanos, type Micros, type Millis } from '../../domain/time.js';
import type { QuerySource } from '../../platform/sql.js';
import { SHOWS_INCLUSION } from '../../statistics/read/shows-inclusion.js';

/** The nodes that are monitored at a moment. */
export interface SampleScope {
  readonly nodes: readonly string[];
  /** On the observer's clock. */
  readonly at: Millis;
}

/** A finding about a node. Its chain is added later. */
export type NodeFinding = Omit<Finding, 'node' | 'chain'> & { readonly node: string };

/** If a node's list was not seen for this long, it is unknown whether its attempts fail. */
const LIST_UNSEEN = "interval '2 minutes'";

/** Nodes with more than a given share of failed attempts. */
export async function findFailures(
  source: QuerySource,
  { above, overMs, attempts: least }: ConditionOf<'failures'>,
  { nodes, at }: SampleScope,
): Promise<NodeFinding[]> {
  const rows = await source.query<{ node: string; attempts: number; failed: number; isUnseen: boolean }[]>(
    `SELECT n.id AS node, a.attempts, a.failed,
            coalesce(n.list_seen_at < $1::timestamptz - ${LIST_UNSEEN}, true) AS "isUnseen"
       FROM node n, LATERAL (
            SELECT count(*)::int AS attempts, (count(*) FILTER (WHERE s.status <> 0))::int AS failed
              FROM submission s
             WHERE s.node_key = n.node_key AND s.time_at > $2::timestamptz AND s.time_at <= $1::timestamptz) a
      WHERE n.id = ANY ($3::text[])`,
    [timeOf(at), timeOf(at - overMs), nodes],
  );
  return rows.flatMap(({ node, attempts, failed, isUnseen }): NodeFinding[] => {
    const share = failed / attempts;
    const reason = `${failed} of ${attempts} attempts failed in ${duration(overMs)} (${Math.floor(share * 100)} %).`;
    if (attempts >= least && share > above) return [{ node, holds: true, reason }];
    return isUnseen ? [{ node, holds: 'unknown', reason: '' }] : [];
  });
}

type LossCause = Exclude<LossKind, 'BEFORE_START'>;

/** Why submissions may be missing, for people. */
const CAUSES: Readonly<Record<LossCause, string>> = {
  OVERFLOW: 'the list overflowed between two polls',
  RESET: 'the list started over, as after a restart',
  AMBIGUOUS: 'two polls of the list do not prove what came between them',
};

/** Nodes whose list got a gap lately. Short gaps count only if rows are proven to be missing. */
export async function findGaps(
  source: QuerySource,
  { withinMs }: ConditionOf<'hole'>,
  { nodes, at }: SampleScope,
): Promise<NodeFinding[]> {
  const rows = await source.query<
    { node: string; holes: number; kinds: LossCause[]; least: bigint; from: Micros; to: Micros }[]
  >(
    `SELECT n.id AS node, l.*
       FROM node n, LATERAL (
            SELECT count(*)::int AS holes, array_agg(DISTINCT kind) AS kinds, sum(min_lost)::bigint AS least,
                   min(from_at) AS "from", max(to_at) AS "to"
              FROM loss
             WHERE node_key = n.node_key AND to_position IS NULL AND kind <> 'BEFORE_START'
               AND to_at > $2::timestamptz AND to_at <= $1::timestamptz
               AND (min_lost > 0 OR to_at - from_at > interval '1 ms' * $3::float8)) l
      WHERE n.id = ANY ($4::text[]) AND l.holes > 0`,
    [timeOf(at), timeOf(at - withinMs), SHORT_GAP_MS, nodes],
  );
  return rows.map(({ node, holes, kinds, least, from, to }) => ({
    node,
    holds: true,
    reason: `${least > 0n ? `At least ${least} ${least === 1n ? 'submission is' : 'submissions are'}` : 'An unknown number of submissions may be'} missing, in ${
      holes === 1 ? 'a gap of' : `${holes} gaps within`
    } ${duration(microsToMillis(to - from))}: ${kinds.map((kind) => CAUSES[kind]).join(', and ')}.`,
    since: microsToMillis(from),
  }));
}

/** Rules of the NODE component that mean that no poll reached the node. */
const UNSEEN = [...UNWATCHED_RULES, 'unreachable', 'not-reached', 'look-failed'];

/**
 * Nodes that no poll has reached for too long. Exact for a node that was not reached since. For an earlier moment its health says
 * until when it was, give or take the time that passes before the state is unknown.
 */
export async function findUnseen(
  source: QuerySource,
  { ms }: ConditionOf<'noLook'>,
  { nodes, at }: SampleScope,
): Promise<NodeFinding[]> {
  const rows = await source.query<{ node: string; since: Micros }[]>(
    `SELECT * FROM (
            SELECT n.id AS node, CASE WHEN n.last_seen_at <= $1::timestamptz THEN n.last_seen_at
                   ELSE coalesce((SELECT coalesce(i.to_at, n.last_seen_at) FROM health_interval i
                                   WHERE i.node = n.id AND i.component = 'NODE' AND i.to_position IS NULL
                                     AND i.from_at <= $1::timestamptz AND i.rule <> ALL ($3::text[])
                                   ORDER BY i.from_at DESC LIMIT 1),
                                 (SELECT min(i.from_at) FROM health_interval i
                                   WHERE i.node = n.id AND i.component = 'NODE' AND i.to_position IS NULL)) END AS since
              FROM node n WHERE n.id = ANY ($4::text[])) s
      WHERE since < $2::timestamptz`,
    [timeOf(at), timeOf(at - ms), UNSEEN, nodes],
  );
  return rows.map(({ node, since }) => {
    const last = microsToMillis(since);
    const reason = `No poll has reached the node for ${duration(at - last)}.`;
    return { node, holds: true, reason, since: last };
  });
}

/**
 * Nodes with many waiting blocks, by what is seen or by what the node reports, whichever is fewer. While old blocks are still
 * being read, all of them seem to wait. Blocks of a node that never shows inclusion are not waiting.
 */
export async function findPending(
  source: QuerySource,
  { above }: ConditionOf<'pending'>,
  { nodes }: Pick<SampleScope, 'nodes'>,
): Promise<NodeFinding[]> {
  const rows = await source.query<{ node: string; pending: bigint }[]>(
    `SELECT id AS node, head - greatest(inclusion_frontier, da_included) AS pending
       FROM node n WHERE id = ANY ($2::text[]) AND ${SHOWS_INCLUSION}
        AND head - greatest(inclusion_frontier, da_included) > $1::bigint`,
    [above, nodes],
  );
  return rows.map(({ node, pending }) => ({
    node,
    holds: true,
    reason: `${pending} blocks wait, more than ${above}.`,
  }));
}

/** Nodes whose claim contradicts what is seen at a moment. */
export async function findClaims(source: QuerySource, { nodes, at }: SampleScope): Promise<NodeFinding[]> {
  const rows = await source.query<{ node: string; claim: string | null; state: string; since: Micros }[]>(
    `SELECT n.id AS node, i.claim, i.state, i.from_at AS since
       FROM node n, LATERAL (
            SELECT * FROM health_interval i
             WHERE i.node = n.id AND i.component = 'DA' AND i.to_position IS NULL AND i.from_at <= $1::timestamptz
             ORDER BY i.from_at DESC LIMIT 1) i
      WHERE n.id = ANY ($2::text[]) AND i.claim_differs AND (i.to_at IS NULL OR i.to_at > $1::timestamptz)`,
    [timeOf(at), nodes],
  );
  return rows.map(({ node, claim, state, since }) => ({
    node,
    holds: true,
    reason: `The node reports ${claim === null ? 'nothing' : JSON.stringify(claim)}, but Hindsight finds its DA layer ${state}.`,
    since: microsToMillis(since),
  }));
}

/** As a parameter of SQL. */
export function timeOf(at: Millis): string {
  return formatTime(millisToNanos(at), 3);
}
