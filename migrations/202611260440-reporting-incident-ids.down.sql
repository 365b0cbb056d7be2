-- The rule `retired` is of a later release: its intervals are told as time in which nobody looked.
CREATE OR REPLACE VIEW reporting.health_intervals AS
WITH present AS (
  SELECT i.*, coalesce((t.thresholds ->> 'notWatchedAfterMs')::numeric, 30000) AS after_ms,
         CASE WHEN i.component = 'NODE' THEN greatest(n.last_seen_at, n.list_looked_at)
              ELSE coalesce(n.list_looked_at, n.last_seen_at) END AS seen_at
    FROM health_interval i
    LEFT JOIN node n ON n.id = i.node AND i.to_at IS NULL
    LEFT JOIN health_fold f ON f.node = i.node AND i.to_at IS NULL
    LEFT JOIN health_threshold t ON t.chain = f.chain
   WHERE i.to_position IS NULL
), known AS (
  SELECT *, CASE WHEN to_at IS NULL AND rule <> 'not-watched'
                           AND now() - seen_at >= interval '1 ms' * (65000 + after_ms)::double precision
                 THEN greatest(from_at, seen_at + interval '1 ms' * after_ms::double precision) END AS unknown_from
    FROM present
), line AS (
  SELECT node, component, from_at, coalesce(unknown_from, to_at) AS to_at, state, rule, reason, claim, claim_differs, setting, limit_value
    FROM known WHERE unknown_from IS DISTINCT FROM from_at
  UNION ALL
  SELECT node, component, unknown_from AS from_at, NULL AS to_at, 'UNKNOWN' AS state, 'not-watched' AS rule,
         'Nobody has looked since ' || to_char(seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '.' AS reason,
         NULL AS claim, NULL AS claim_differs, 'notWatchedAfter' AS setting, after_ms::double precision AS limit_value
    FROM known WHERE unknown_from IS NOT NULL
)
SELECT node, component, from_at, to_at, state, rule, reason, claim, claim_differs, from_at AS time, from_at AS "from", to_at AS "to",
       (SELECT n.chain_id FROM node n WHERE n.id = line.node) AS chain, setting, limit_value AS "limit"
  FROM line;
DROP VIEW reporting.incidents CASCADE;
-- As GraphQL's incidents: an interval of trouble with 5 minutes of calm before it begins one, and 5 minutes of calm end it. What
-- nobody could see is no calm. An open interval is known to have lasted up to the last look at its component. Trouble of a second node
-- that was joined when it began (incident_join) belongs to the incident of the first. Its chain is the one that its node was of at the
-- first sign: a node that moves takes none of them along.
CREATE VIEW reporting.incidents AS
WITH line AS NOT MATERIALIZED (
  SELECT i.*, i.state IN ('WARNING', 'CRITICAL') AS is_trouble,
         i.state = 'UNKNOWN' AND i.rule IN ('not-watched', 'unreachable', 'not-reached', 'invalid') AS is_blind,
         coalesce(i.to_at, CASE WHEN i.component = 'NODE' THEN greatest(n.last_seen_at, n.list_looked_at)
                                ELSE coalesce(n.list_looked_at, n.last_seen_at) END) AS until_at
    FROM health_interval i
    LEFT JOIN node n ON n.id = i.node AND i.to_at IS NULL
   WHERE i.to_position IS NULL
), calm AS NOT MATERIALIZED (
  SELECT node, component, from_at, state, reason FROM line
   WHERE NOT is_trouble AND NOT is_blind AND until_at - from_at >= interval '5 minutes'
)
SELECT s.node,
       coalesce((SELECT c.chain_id FROM node_chain c
                  WHERE c.node_key = own.node_key
                    AND c.from_position <= (SELECT min(v.from_position) FROM health_interval v
                                             WHERE v.node = s.node AND v.component = s.component AND v.from_at = s.from_at)
                  ORDER BY c.from_position DESC LIMIT 1), own.chain_id) AS chain,
       s.component, told.severity, told.from_at, told.to_at, told.to_at IS NULL AS open,
       told.rule, told.reason, told.signs, told.last_sign_at, told.trouble_ms, told.claim, told.claim_differed_ms,
       (SELECT min(v.from_position) FROM health_interval v
         WHERE v.node = s.node AND v.component = s.component AND v.from_at = s.from_at) AS position,
       told.from_at AS time, told.from_at AS "from", told.to_at AS "to",
       CASE WHEN s.component = 'DA' AND s.rule IN ('inclusion-late', 'frozen') THEN 'FINALITY' ELSE s.component END AS subject,
       told.nodes, ack.by AS acknowledged_by, ack.at AS acknowledged_at, told.end_reason
  FROM health_interval s
  JOIN node own ON own.id = s.node
  CROSS JOIN LATERAL (
    SELECT min(p.from_at) AS from_at, CASE WHEN bool_and(ended.from_at IS NOT NULL) THEN max(ended.from_at) END AS to_at,
           CASE WHEN bool_and(ended.from_at IS NOT NULL)
                THEN (array_agg(ended.state || ': ' || ended.reason ORDER BY ended.from_at DESC))[1] END AS end_reason,
           (array_agg(t.severity ORDER BY t.severity = 'CRITICAL' DESC, p.from_at, p.node))[1] AS severity,
           (array_agg(t.rule ORDER BY t.severity = 'CRITICAL' DESC, p.from_at, p.node))[1] AS rule,
           (array_agg(t.reason ORDER BY t.severity = 'CRITICAL' DESC, p.from_at, p.node))[1] AS reason,
           sum(t.signs)::int AS signs, CASE WHEN bool_and(t.last_sign_at IS NOT NULL) THEN max(t.last_sign_at) END AS last_sign_at,
           sum(t.trouble_ms) AS trouble_ms,
           (array_agg(t.claim ORDER BY p.from_at) FILTER (WHERE t.claim IS NOT NULL))[1] AS claim,
           CASE WHEN bool_and(t.claim_differed_ms IS NOT NULL) THEN sum(t.claim_differed_ms) END AS claim_differed_ms,
           array_agg(p.node ORDER BY p.from_at, p.node) AS nodes
      FROM (SELECT s.node, s.component, s.from_at
            UNION ALL
            SELECT j.node, j.component, j.from_at FROM incident_join j
             WHERE j.root_node = s.node AND j.component = s.component AND j.root_from_at = s.from_at AND j.to_position IS NULL) p
      LEFT JOIN LATERAL (SELECT c.from_at, c.state, c.reason FROM calm c WHERE c.node = p.node AND c.component = p.component AND c.from_at > p.from_at
                          ORDER BY c.from_at LIMIT 1) ended ON true
      CROSS JOIN LATERAL (
        SELECT (array_agg(l.state ORDER BY l.state = 'CRITICAL' DESC, l.from_at))[1] AS severity,
               (array_agg(l.rule ORDER BY l.state = 'CRITICAL' DESC, l.from_at))[1] AS rule,
               (array_agg(l.reason ORDER BY l.state = 'CRITICAL' DESC, l.from_at))[1] AS reason,
               count(*)::int AS signs, CASE WHEN bool_and(l.to_at IS NOT NULL) THEN max(l.to_at) END AS last_sign_at,
               (extract(epoch FROM sum(greatest(l.until_at, l.from_at) - l.from_at)) * 1000)::float8 AS trouble_ms,
               (array_agg(l.claim ORDER BY l.from_at) FILTER (WHERE l.claim_differs))[1] AS claim,
               sum(l.differed_ms)::float8 AS claim_differed_ms
          FROM line l
         WHERE l.node = p.node AND l.component = p.component AND l.is_trouble
           AND l.from_at >= p.from_at AND l.from_at < coalesce(ended.from_at, 'infinity')) t) told
  LEFT JOIN LATERAL (
    SELECT e.body->>'by' AS by, e.observed_at AS at FROM event e
     WHERE e.stream = s.node || '/incidents' AND e.type = 'IncidentAcknowledged'
       AND e.body->>'incident' = 'Incident:' || s.node || ':' || s.component || ':' || (extract(epoch FROM s.from_at) * 1000000)::bigint || '000'
     ORDER BY e.position LIMIT 1) ack ON true
 WHERE s.to_position IS NULL AND s.state IN ('WARNING', 'CRITICAL')
   AND NOT EXISTS (
     SELECT FROM (SELECT l.from_at FROM line l WHERE l.node = s.node AND l.component = s.component AND l.is_trouble
                     AND l.from_at < s.from_at ORDER BY l.from_at DESC LIMIT 1) sign
      WHERE NOT EXISTS (SELECT FROM calm c WHERE c.node = s.node AND c.component = s.component
                           AND c.from_at > sign.from_at AND c.from_at < s.from_at))
   AND NOT EXISTS (SELECT FROM incident_join j WHERE j.node = s.node AND j.component = s.component AND j.from_at = s.from_at
                      AND j.to_position IS NULL);
COMMENT ON VIEW reporting.incidents IS 'Stretches of trouble of nodes, of their DA layer, of a chain''s finality and of our own coverage, each from its first sign to five minutes of calm, as they are known now. Nodes of a chain with the same trouble at once are one.';
COMMENT ON COLUMN reporting.incidents.node IS 'Id of the node that told of it first.';
COMMENT ON COLUMN reporting.incidents.chain IS 'The chain that its nodes were of at the first sign.';
COMMENT ON COLUMN reporting.incidents.component IS 'DA: whether its data reaches the DA layer. NODE: whether it runs and moves on. COVERAGE: whether we saw all of it.';
COMMENT ON COLUMN reporting.incidents.severity IS 'The worst state in it: WARNING or CRITICAL.';
COMMENT ON COLUMN reporting.incidents.from_at IS 'The first sign of any of its nodes, by our clock.';
COMMENT ON COLUMN reporting.incidents.to_at IS 'When the calm began that ended it, of the last of its nodes; null while it goes on.';
COMMENT ON COLUMN reporting.incidents.open IS 'It has not been seen to end.';
COMMENT ON COLUMN reporting.incidents.rule IS 'The rule of health that decided when it was worst.';
COMMENT ON COLUMN reporting.incidents.reason IS 'What was the matter then, with numbers.';
COMMENT ON COLUMN reporting.incidents.signs IS 'Intervals of trouble in it: more than a few, and it flapped.';
COMMENT ON COLUMN reporting.incidents.last_sign_at IS 'When the last trouble of it ended, also where nobody could see what followed; null while one lasts.';
COMMENT ON COLUMN reporting.incidents.trouble_ms IS 'For how long there was trouble in it, in milliseconds, as far as it was looked at; added up over its nodes.';
COMMENT ON COLUMN reporting.incidents.claim IS 'What the node claimed of itself meanwhile, where that contradicted us.';
COMMENT ON COLUMN reporting.incidents.claim_differed_ms IS 'For how long its claim did, in milliseconds, as far as it was looked at; added up over its nodes.';
COMMENT ON COLUMN reporting.incidents.position IS 'The event that first told of its first sign.';
COMMENT ON COLUMN reporting.incidents.time IS 'As from_at, under the name that charts look for.';
COMMENT ON COLUMN reporting.incidents."from" IS 'As from_at, under the name that GraphQL has.';
COMMENT ON COLUMN reporting.incidents."to" IS 'As to_at, under the name that GraphQL has.';
COMMENT ON COLUMN reporting.incidents.subject IS 'What it is of: DA, NODE, FINALITY (of the chain: submissions succeed, and nothing is shown as included) or COVERAGE (our own).';
COMMENT ON COLUMN reporting.incidents.nodes IS 'All nodes that have it, by their first sign.';
COMMENT ON COLUMN reporting.incidents.acknowledged_by IS 'Who said first that they have seen it; null while nobody has.';
COMMENT ON COLUMN reporting.incidents.acknowledged_at IS 'When, by our clock.';
COMMENT ON COLUMN reporting.incidents.end_reason IS 'How it ended: the state that began then, and why; null while it goes on.';
