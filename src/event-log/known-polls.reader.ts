import type { Subject } from '../domain/events.js';
import type { Query } from '../platform/sql.js';
import type { Micros } from '../domain/time.js';
import { lastVersions } from './stream-versions.js';

/** How many events before a position are searched for one that reports a poll: other events come in between. */
const NEAR = 100;

/**
 * The time of the last poll of each node's list that was recorded up to a position of the log, by the observer's clock. Only
 * later polls show whether something was missed after that time. A node without a recorded poll is left out.
 *
 * Polls that could not read the list do not count, unless they show that the node has no list.
 */
export async function getKnownPolls(
  query: Query,
  nodes: readonly string[],
  position: bigint,
): Promise<ReadonlyMap<string, Micros>> {
  const streams = `ARRAY(SELECT node || kind FROM unnest($1::text[]) AS node, unnest('{/submissions,/node}'::text[]) AS kind)`;
  const last = (kind: string, condition: string) => `LEFT JOIN LATERAL (
    SELECT e.* FROM part JOIN event e ON e.stream = part.stream AND e.version > part.low - ${NEAR} AND e.version <= part.low
     WHERE part.stream = asked.node || '/${kind}' AND ${condition} ORDER BY e.version DESC LIMIT 1)`;
  const isAway = `e.type = 'SubmissionSourceChanged' AND e.body ->> 'state' NOT IN ('AVAILABLE', 'NOT_AGGREGATOR')`;
  const rows = await query<{ node: string; lookedAt: Micros | null }>(
    `WITH ${lastVersions(streams, 'e.position <= $2::bigint')}
     SELECT asked.node, greatest(seen.observed_at, to_timestamp((watched.body #>> '{looks,submissions,last}')::double precision / 1000)) AS "lookedAt"
       FROM unnest($1::text[]) AS asked (node)
       ${last('submissions', `NOT (${isAway})`)} seen ON true
       ${last('submissions', isAway)} away ON away.version > seen.version
       ${last('node', "e.type = 'NodeWatched' AND e.body #> '{looks,submissions}' IS NOT NULL AND (away.position IS NULL OR e.position < away.position)")} watched ON true`,
    [nodes, position],
  );
  return new Map(
    rows.flatMap(({ node, lookedAt }) => (lookedAt === null ? [] : [[node, lookedAt] as const])),
  );
}

/** Whether a poll of a subject is a poll of the node itself; otherwise it polls a system behind the node. */
const IS_OF_NODE: Readonly<Record<Subject, boolean>> = {
  submissions: true,
  blocks: true,
  probes: true,
  claims: true,
  daNode: false,
  execution: false,
};
const SUBJECTS_OF_NODE = Object.entries(IS_OF_NODE).flatMap(([subject, isOfNode]) =>
  isOfNode ? subject : [],
);

/**
 * SQL: the time of the last poll of a node's list (`list_at`), and of the last poll of anything at the node (`any_at`), as
 * recorded up to a position of the log. Polls count whatever their result; null if there was no poll.
 * @param node SQL for the node's id
 */
export function lastRecordedPolls(node: string, position: bigint): string {
  const names = [...SUBJECTS_OF_NODE, 'node'].map((kind) => `${node} || '/${kind}'`);
  const lastOf = (subject: string) => `(body #>> '{looks,${subject},last}')::double precision`;
  const last = SUBJECTS_OF_NODE.map(lastOf).join(', ');
  return `WITH ${lastVersions(`ARRAY[${names.join(', ')}]`, `e.position <= ${position}`)},
    own AS (SELECT max(e.observed_at) FILTER (WHERE e.stream = ${node} || '/submissions') AS list_at, max(e.observed_at) AS any_at
              FROM part JOIN event e ON e.stream = part.stream AND e.version = part.low WHERE part.stream <> ${node} || '/node'),
    watched AS (SELECT to_timestamp(max(${lastOf('submissions')}) / 1000) AS list_at, to_timestamp(max(greatest(${last})) / 1000) AS any_at
                  FROM part JOIN event e ON e.stream = part.stream AND e.version > part.low - ${NEAR} AND e.version <= part.low
                 WHERE part.stream = ${node} || '/node' AND e.type = 'NodeWatched')
    SELECT greatest(own.list_at, watched.list_at) AS list_at, greatest(own.any_at, watched.any_at) AS any_at FROM own, watched`;
}
