import { coveredTimes } from '../../statistics/read/coverage/coverage.query.js';

/**
 * Why a time is not covered, the most specific cause first:
 * - `OUT_OF_SIGHT`: a list has not been seen since.
 * - `LIST`: the list was seen again, or another in its place, and nothing proves what came in between.
 * - `UNSEEN`: the node answers, and has never shown a list.
 * - `NOT_AGGREGATOR`: the node had said that it is no aggregator, and did not say it again until then.
 * - `NO_AGGREGATOR`: the node says that it is no aggregator, so it covers nothing.
 * - `NOT_POLLED`: the last poll on record is older. While polling continues, that poll is a minute old at most.
 * - `BEFORE_FIRST_ANSWER`: no answer had come from the node, or from any node of the chain.
 * - `NOT_IN_SETTINGS`: the node had been removed from the settings.
 * - `NOBODY_COUNTS`: no node that submits was monitored.
 */
const GAP_CAUSES = [
  'OUT_OF_SIGHT',
  'LIST',
  'UNSEEN',
  'NOT_AGGREGATOR',
  'NO_AGGREGATOR',
  'NOT_POLLED',
  'BEFORE_FIRST_ANSWER',
  'NOT_IN_SETTINGS',
  'NOBODY_COUNTS',
] as const;
export type GapCause = (typeof GAP_CAUSES)[number];

/** The parts of the request, as SQL. */
export interface GapsAsked {
  /** A FROM item with the columns `unit`, `node` and `known_to`, as for {@link coveredTimes}. */
  readonly members: string;
  /** Times; infinite if not given. */
  readonly from: string;
  readonly to: string;
  /** The present. No gap reaches beyond it. */
  readonly end: string;
  /** The requested node; null for a chain. */
  readonly node: string;
}

const BEGIN = '(SELECT begin_at FROM asked)';
const END = '(SELECT end_at FROM asked)';
const CAUSES = `'{${GAP_CAUSES.join()}}'::text[]`;

/**
 * SQL of the times that are not covered: `fromAt`, `toAt`, `node`, `cause` and `isOpen`, oldest first. Covered times and gaps
 * together are all of the requested time. A gap that an event states and a time that the list itself does not prove become one
 * gap if they overlap.
 */
export function gapsSql({ members, from, to, end, node }: GapsAsked): string {
  const isKnown = '(known_to IS NULL OR from_at <= known_to)';
  return `WITH member AS (
        SELECT unit, node, known_to, least(known_to, looked_at) AS looked_at
          FROM ${members} LEFT JOIN coverage_fold USING (node)),
      contact AS (
        SELECT min(from_at) AS at FROM member JOIN coverage_interval USING (node) WHERE number = 0 AND ${isKnown}),
      present AS (SELECT least(${to}, ${end}) AS at),
      asked AS (
        SELECT begin_at, greatest(begin_at, present.at) AS end_at
          FROM present, contact, LATERAL (SELECT coalesce(nullif(${from}, '-infinity'), contact.at,
                 (SELECT min(e.observed_at) FROM member m JOIN node n ON n.id = m.node JOIN event e ON e.position = n.from_position),
                 present.at) AS begin_at) AS of_time),
      stretch AS (
        SELECT node, kind, ring, from_at, least(to_at, known_to) AS to_at, is_open, looked_at > least(to_at, known_to) AS is_away,
               CASE WHEN is_open THEN greatest(${END}, least(to_at, known_to)) ELSE until_at END AS until_at
          FROM member JOIN coverage_interval USING (node),
               LATERAL (SELECT until_at IS NULL OR coalesce(until_at > known_to, false) AS is_open) AS of_stretch
         WHERE from_at < ${END} AND (is_open OR until_at > ${BEGIN}) AND ${isKnown}),
      elsewhere AS (
        SELECT ring, range_agg(tstzrange(from_at, to_at)) AS proven FROM stretch
         GROUP BY ring HAVING count(DISTINCT node) > 1),
      reason AS (
        SELECT node, is_open,
               CASE WHEN is_open AND NOT is_away THEN 'NOT_POLLED' WHEN kind = 'LIST' AND is_open THEN 'OUT_OF_SIGHT'
                    WHEN kind = 'HOLE' THEN 'LIST' ELSE kind END AS cause,
               tstzmultirange(tstzrange(to_at, greatest(until_at, to_at))) - coalesce(proven, '{}') AS parts
          FROM stretch LEFT JOIN elsewhere USING (ring)
        UNION ALL
        SELECT node, is_open, 'NO_AGGREGATOR', tstzmultirange(tstzrange(from_at, to_at)) FROM stretch
         WHERE kind = 'NOT_AGGREGATOR' AND ${node} IS NOT NULL),
      merged AS (SELECT node, is_open, cause, range_agg(parts) AS parts FROM reason GROUP BY node, is_open, cause),
      own AS (
        SELECT node, is_open, cause, parts - coalesce(range_agg(parts) OVER (
                 PARTITION BY node ORDER BY array_position(${CAUSES}, cause), is_open DESC
                 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), '{}') AS parts
          FROM merged),
      rest AS (
        SELECT tstzmultirange(tstzrange(${BEGIN}, ${END}))
               - (SELECT coalesce(range_agg(covered), '{}') FROM (${coveredTimes('member', BEGIN, END)}) AS of_unit)
               - (SELECT coalesce(range_agg(parts), '{}') FROM merged) AS parts,
               tstzmultirange(tstzrange(NULL, contact.at)) AS before, contact.at IS NULL AS is_never
          FROM contact),
      found AS (
        SELECT node, is_open, cause, unnest(parts * tstzmultirange(tstzrange(${BEGIN}, ${END}))) AS part FROM own
        UNION ALL
        SELECT ${node}, is_never, 'BEFORE_FIRST_ANSWER', unnest(parts * before) FROM rest
        UNION ALL
        SELECT ${node}, upper(part) = ${END} AND NOT EXISTS (
                 SELECT FROM member JOIN coverage_interval USING (node) WHERE from_at >= upper(part) AND ${isKnown}),
               CASE WHEN ${node} IS NULL THEN 'NOBODY_COUNTS' ELSE 'NOT_IN_SETTINGS' END, part
          FROM rest, unnest(parts - before) AS part)
    SELECT lower(part) AS "fromAt", upper(part) AS "toAt", node, cause, is_open AS "isOpen"
      FROM found ORDER BY 1, 2, node, cause`;
}

/** The reason in a sentence or two, and what ends it if anybody can. @param node null: no single node is the reason */
export function explainGap(cause: GapCause, node: string | null): string {
  switch (cause) {
    case 'OUT_OF_SIGHT':
      return `The list of ${node} has been out of sight since. The gap ends when the list is seen again, or when ${node} is removed from the settings.`;
    case 'LIST':
      return `Submissions of ${node} may be missing: no poll proves what its list held in this time.`;
    case 'NOT_AGGREGATOR':
      return `${node} had reported that it is no aggregator, and did not report it in this time: it may have been one.`;
    case 'UNSEEN':
      return `${node} answers, but has never shown its list: DA monitoring is off, or its answer cannot be read.`;
    case 'NO_AGGREGATOR':
      return `${node} reports that it is no aggregator: it has no list, so there is nothing to cover.`;
    case 'NOT_POLLED':
      return `No later poll of ${node} is recorded.`;
    case 'BEFORE_FIRST_ANSWER':
      return `Not monitored yet: ${node ?? 'no node of this chain'} had ${node === null ? '' : 'not '}answered a poll by then.`;
    case 'NOT_IN_SETTINGS':
      return `Not monitored: ${node} was not in the settings.`;
    case 'NOBODY_COUNTS':
      return 'Not monitored: no node that submits was in the settings.';
    default:
      return cause satisfies never;
  }
}
