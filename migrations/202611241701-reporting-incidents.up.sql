-- As GraphQL's incidents: an interval of trouble with 5 minutes of calm before it begins one, and 5 minutes of calm end it. What
-- nobody could see is no calm. An open interval is known to have lasted up to the last look at its component.
CREATE VIEW reporting.incidents AS
WITH line AS NOT MATERIALIZED (
  SELECT i.*, i.state IN ('WARNING', 'CRITICAL') AS is_trouble,
         i.state = 'UNKNOWN' AND i.rule IN ('not-watched', 'unreachable', 'not-reached', 'invalid') AS is_blind,
         coalesce(i.to_at, CASE WHEN i.component = 'DA' THEN coalesce(n.list_looked_at, n.last_seen_at)
                                ELSE greatest(n.last_seen_at, n.list_looked_at) END) AS until_at
    FROM health_interval i
    LEFT JOIN node n ON n.id = i.node AND i.to_at IS NULL
   WHERE i.to_position IS NULL
), calm AS NOT MATERIALIZED (
  SELECT node, component, from_at FROM line
   WHERE NOT is_trouble AND NOT is_blind AND until_at - from_at >= interval '5 minutes'
)
SELECT s.node, own.chain_id AS chain, s.component, told.severity, s.from_at, ended.from_at AS to_at, ended.from_at IS NULL AS open,
       told.rule, told.reason, told.signs, told.last_sign_at, told.trouble_ms, told.claim, told.claim_differed_ms,
       (SELECT min(v.from_position) FROM health_interval v
         WHERE v.node = s.node AND v.component = s.component AND v.from_at = s.from_at) AS position,
       s.from_at AS time, s.from_at AS "from", ended.from_at AS "to"
  FROM health_interval s
  JOIN node own ON own.id = s.node
  LEFT JOIN LATERAL (SELECT c.from_at FROM calm c WHERE c.node = s.node AND c.component = s.component AND c.from_at > s.from_at
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
     WHERE l.node = s.node AND l.component = s.component AND l.is_trouble
       AND l.from_at >= s.from_at AND l.from_at < coalesce(ended.from_at, 'infinity')) told
 WHERE s.to_position IS NULL AND s.state IN ('WARNING', 'CRITICAL')
   AND NOT EXISTS (
     SELECT FROM (SELECT l.from_at FROM line l WHERE l.node = s.node AND l.component = s.component AND l.is_trouble
                     AND l.from_at < s.from_at ORDER BY l.from_at DESC LIMIT 1) sign
      WHERE NOT EXISTS (SELECT FROM calm c WHERE c.node = s.node AND c.component = s.component
                           AND c.from_at > sign.from_at AND c.from_at < s.from_at));
COMMENT ON VIEW reporting.incidents IS 'Stretches of trouble of nodes and of their DA layer, each from its first sign to five minutes of calm, as they are known now. Bound it by node or from_at.';
COMMENT ON COLUMN reporting.incidents.node IS 'Id of the node.';
COMMENT ON COLUMN reporting.incidents.chain IS 'The chain that the node is of now.';
COMMENT ON COLUMN reporting.incidents.component IS 'DA: whether its data reaches the DA layer. NODE: whether it runs and moves on.';
COMMENT ON COLUMN reporting.incidents.severity IS 'The worst state in it: WARNING or CRITICAL.';
COMMENT ON COLUMN reporting.incidents.from_at IS 'The first sign, by our clock.';
COMMENT ON COLUMN reporting.incidents.to_at IS 'When the calm began that ended it; null while it goes on.';
COMMENT ON COLUMN reporting.incidents.open IS 'It has not been seen to end.';
COMMENT ON COLUMN reporting.incidents.rule IS 'The rule of health that decided when it was worst.';
COMMENT ON COLUMN reporting.incidents.reason IS 'What was the matter then, with numbers.';
COMMENT ON COLUMN reporting.incidents.signs IS 'Intervals of trouble in it: more than a few, and it flapped.';
COMMENT ON COLUMN reporting.incidents.last_sign_at IS 'When the last trouble of it ended, also where nobody could see what followed; null while one lasts.';
COMMENT ON COLUMN reporting.incidents.trouble_ms IS 'For how long there was trouble in it, in milliseconds, as far as it was looked at.';
COMMENT ON COLUMN reporting.incidents.claim IS 'What the node claimed of itself meanwhile, where that contradicted us.';
COMMENT ON COLUMN reporting.incidents.claim_differed_ms IS 'For how long its claim did, in milliseconds, as far as it was looked at.';
COMMENT ON COLUMN reporting.incidents.position IS 'The event that first told of its first sign.';
COMMENT ON COLUMN reporting.incidents.time IS 'As from_at, under the name that charts look for.';
COMMENT ON COLUMN reporting.incidents."from" IS 'As from_at, under the name that GraphQL has.';
COMMENT ON COLUMN reporting.incidents."to" IS 'As to_at, under the name that GraphQL has.';
