-- Of a node that was taken out of the settings its last interval says so itself.
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
  SELECT *, CASE WHEN to_at IS NULL AND rule NOT IN ('not-watched', 'retired')
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

-- As GraphQL's incidents: an interval of trouble with 5 minutes of calm before it begins one, and 5 minutes of calm end it. Calm is
-- added up from one trouble to the next; what nobody could see is no calm, and breaks none. A node that is taken out of the settings ends
-- its own. An open interval is known to have lasted up to the last look at its component. Trouble of a second node that was joined when
-- it began (incident_join) belongs to the incident of the first. Its chain is the one that its node was of at the first sign: a node
-- that moves takes none of them along.
CREATE OR REPLACE VIEW reporting.incidents AS
WITH line AS NOT MATERIALIZED (
  SELECT i.*, i.state IN ('WARNING', 'CRITICAL') AS is_trouble,
         i.state = 'UNKNOWN' AND i.rule IN ('not-watched', 'unreachable', 'not-reached', 'invalid') AS is_blind,
         coalesce(i.to_at, CASE WHEN i.component = 'NODE' THEN greatest(n.last_seen_at, n.list_looked_at)
                                ELSE coalesce(n.list_looked_at, n.last_seen_at) END) AS until_at
    FROM health_interval i
    LEFT JOIN node n ON n.id = i.node AND i.to_at IS NULL
   WHERE i.to_position IS NULL
), sign AS NOT MATERIALIZED (
  SELECT t.node, t.component, t.from_at,
         EXISTS (SELECT FROM (SELECT sum(CASE WHEN l.rule = 'retired' THEN interval '5 minutes'
                                              WHEN NOT l.is_blind THEN greatest(l.until_at - l.from_at, interval '0') END)
                                     OVER (ORDER BY l.from_at) AS calm
                                FROM line l
                               WHERE l.node = t.node AND l.component = t.component AND l.from_at > t.from_at
                                 AND l.from_at < coalesce((SELECT n.from_at FROM line n
                                                            WHERE n.node = t.node AND n.component = t.component AND n.is_trouble
                                                              AND n.from_at > t.from_at ORDER BY n.from_at LIMIT 1), 'infinity')) quiet
                  WHERE quiet.calm >= interval '5 minutes') AS is_last
    FROM line t WHERE t.is_trouble
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
       CASE WHEN s.component = 'DA' AND told.rule IN ('inclusion-late', 'frozen') THEN 'FINALITY' ELSE s.component END AS subject,
       told.nodes, ack.by AS acknowledged_by, ack.at AS acknowledged_at, told.end_reason,
       'Incident:' || s.node || ':' || s.component || ':' || (extract(epoch FROM s.from_at) * 1000000)::bigint || '000' AS id
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
      LEFT JOIN LATERAL (SELECT g.from_at FROM sign g
                          WHERE g.node = p.node AND g.component = p.component AND g.from_at >= p.from_at AND g.is_last
                          ORDER BY g.from_at LIMIT 1) last ON true
      LEFT JOIN LATERAL (SELECT l.from_at, l.state, l.reason FROM line l
                          WHERE l.node = p.node AND l.component = p.component AND l.from_at > last.from_at AND NOT l.is_blind
                          ORDER BY l.from_at LIMIT 1) ended ON true
      CROSS JOIN LATERAL (
        SELECT (array_agg(l.state ORDER BY l.state = 'CRITICAL' DESC, l.until_at - l.from_at DESC NULLS LAST, l.from_at))[1] AS severity,
               (array_agg(l.rule ORDER BY l.state = 'CRITICAL' DESC, l.until_at - l.from_at DESC NULLS LAST, l.from_at))[1] AS rule,
               (array_agg(l.reason ORDER BY l.state = 'CRITICAL' DESC, l.until_at - l.from_at DESC NULLS LAST, l.from_at))[1] AS reason,
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
     SELECT FROM (SELECT g.is_last FROM sign g WHERE g.node = s.node AND g.component = s.component AND g.from_at < s.from_at
                   ORDER BY g.from_at DESC LIMIT 1) before WHERE NOT before.is_last)
   AND NOT EXISTS (SELECT FROM incident_join j WHERE j.node = s.node AND j.component = s.component AND j.from_at = s.from_at
                      AND j.to_position IS NULL);
COMMENT ON COLUMN reporting.incidents.rule IS 'The rule of health that decided longest while it was worst.';
COMMENT ON COLUMN reporting.incidents.reason IS 'What was the matter then, with numbers.';
COMMENT ON COLUMN reporting.incidents.subject IS 'What it is of, by its rule: DA, NODE, FINALITY (submissions succeed, and nothing is shown as included) or COVERAGE (our own).';
COMMENT ON COLUMN reporting.incidents.id IS 'As GraphQL has it: it names the node, the component and the first sign that was told first.';
COMMENT ON COLUMN reporting.incidents.open IS 'It has not been seen to end, and its nodes are in the settings.';
