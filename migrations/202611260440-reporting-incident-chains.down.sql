-- As GraphQL's incidents: an interval of trouble with 5 minutes of calm before it begins one, and 5 minutes of calm end it. What
-- nobody could see is no calm. An open interval is known to have lasted up to the last look at its component. Trouble of a second node
-- that was joined when it began (incident_join) belongs to the incident of the first.
CREATE OR REPLACE VIEW reporting.incidents AS
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
SELECT s.node, own.chain_id AS chain, s.component, told.severity, told.from_at, told.to_at, told.to_at IS NULL AS open,
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
COMMENT ON COLUMN reporting.incidents.chain IS 'The chain that the node is of now.';
