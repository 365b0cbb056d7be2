-- Heights that a node did not give. Blocks of a node that never shows inclusion do not wait: as src/statistics/read/shows-inclusion.ts.
CREATE OR REPLACE VIEW reporting.nodes AS
SELECT n.id,
       coalesce(array_to_string(regexp_match(n.url, '^([A-Za-z][A-Za-z0-9+.-]*://)(?:[^@/?#]*@)?([^@/?#]+)(?:[/?#][^@]*)?$'), ''), '(not a URL)') AS url,
       n.chain_id AS chain, n.aggregator, n.shape, n.service_prefix, n.head, n.oldest, n.inclusion_frontier,
       CASE WHEN NOT (coalesce(n.aggregator, n.submission_count > 0 OR n.last_submitted_header IS NOT NULL)
          OR coalesce((SELECT f.inclusion_shown FROM health_fold f WHERE f.node = n.id), false)) THEN NULL
            WHEN n.head < n.inclusion_frontier THEN 0 ELSE n.head - n.inclusion_frontier END AS pending,
       da.state AS da_state, da.rule AS da_rule, da.reason AS da_reason, da.from_at AS da_from_at,
       own.state AS node_state, own.rule AS node_rule, own.reason AS node_reason, own.from_at AS node_from_at,
       c.status AS claim,
       CASE WHEN claimed.state IS NOT NULL AND da.state <> 'UNKNOWN'
            THEN claimed.state <> da.state AND claimed.state IN ('HEALTHY', 'CRITICAL') AND da.state IN ('HEALTHY', 'CRITICAL') END AS claim_differs,
       n.submission_count, n.block_count, n.last_success_at, n.last_seen_at, n.retired, da.from_at AS da_from, own.from_at AS node_from,
       (SELECT w.last_height - w.first_height + 1 - w.recorded FROM inclusion_walk w
         WHERE w.node_key = n.node_key AND w.lineage_key = n.lineage_key) AS blocks_missing
  FROM node n
  LEFT JOIN reporting.health_intervals da ON da.node = n.id AND da.component = 'DA' AND da.to_at IS NULL
  LEFT JOIN reporting.health_intervals own ON own.node = n.id AND own.component = 'NODE' AND own.to_at IS NULL
  LEFT JOIN claim c ON c.node = n.id AND c.kind = 'health' AND c.to_position IS NULL
  CROSS JOIN LATERAL (
    SELECT CASE lower(btrim(c.status)) WHEN 'healthy' THEN 'HEALTHY' WHEN 'ok' THEN 'HEALTHY' WHEN 'warning' THEN 'WARNING'
                WHEN 'degraded' THEN 'WARNING' WHEN 'unhealthy' THEN 'CRITICAL' WHEN 'critical' THEN 'CRITICAL' END AS state) claimed;
CREATE OR REPLACE VIEW reporting.chains AS
WITH member AS (
  SELECT chain_id AS chain, node_key FROM node WHERE chain_id IS NOT NULL
  UNION SELECT chain_id, node_key FROM node_chain
  UNION SELECT l.chain_id, n.node_key FROM node n JOIN lineage l USING (lineage_key)
  UNION SELECT l.chain_id, w.node_key FROM inclusion_walk w JOIN lineage l USING (lineage_key)
), present AS (
  SELECT l.chain_id AS chain, n.head, n.inclusion_frontier,
         (coalesce(n.aggregator, n.submission_count > 0 OR n.last_submitted_header IS NOT NULL)
          OR coalesce((SELECT f.inclusion_shown FROM health_fold f WHERE f.node = n.id), false)) AS is_shown,
         rank() OVER (PARTITION BY l.chain_id ORDER BY l.n DESC) AS age
    FROM node n JOIN lineage l USING (lineage_key)
), heights AS (
  SELECT chain, max(head) AS head, max(inclusion_frontier) AS inclusion_frontier, bool_or(is_shown) AS is_shown
    FROM present WHERE age = 1 GROUP BY chain
), of_chain AS (
  SELECT m.chain, array_agg(n.id ORDER BY n.id COLLATE "C") AS nodes,
         array_agg(n.id ORDER BY n.id COLLATE "C") FILTER (WHERE n.aggregator AND NOT n.retired) AS aggregators,
         count(*) FILTER (WHERE n.chain_id = m.chain AND NOT n.retired) AS node_count,
         count(*) FILTER (WHERE n.chain_id = m.chain AND NOT n.retired AND n.aggregator) AS aggregator_count
    FROM member m JOIN node n USING (node_key) GROUP BY m.chain
), history AS (
  SELECT chain_id AS chain, array_agg(chain_id || '/' || n ORDER BY n) AS lineages FROM lineage GROUP BY chain_id
), known AS (SELECT chain FROM member UNION SELECT chain FROM history UNION SELECT chain FROM chain_setting)
SELECT known.chain AS id, coalesce(s.reporting_time_zone, 'UTC') AS reporting_time_zone, s.da_layer,
       coalesce(cardinality(h.lineages), 0)::bigint AS lineage_count, coalesce(o.node_count, 0) AS node_count,
       coalesce(o.aggregator_count, 0) AS aggregator_count, t.head, t.inclusion_frontier,
       CASE WHEN NOT t.is_shown THEN NULL WHEN t.head < t.inclusion_frontier THEN 0 ELSE t.head - t.inclusion_frontier END AS pending,
       undecided.since AS undecided_since, undecided.steps AS undecided_steps,
       coalesce(o.nodes, '{}') AS nodes, coalesce(h.lineages, '{}') AS lineages, coalesce(o.aggregators, '{}') AS aggregators
  FROM known
  LEFT JOIN chain_setting s ON s.chain = known.chain
  LEFT JOIN heights t ON t.chain = known.chain
  LEFT JOIN of_chain o ON o.chain = known.chain
  LEFT JOIN history h ON h.chain = known.chain
 CROSS JOIN LATERAL (
   SELECT min(m.at) AS since, count(*)::int AS steps FROM decision_turn m WHERE m.chain = known.chain) undecided;
COMMENT ON COLUMN reporting.nodes.pending IS 'Blocks produced and not yet included; null where either height is not known, or no inclusion is known to be shown, as by nodes that sync by P2P alone.';
COMMENT ON COLUMN reporting.chains.pending IS 'Blocks produced and not yet included; null where either height is not known, or no inclusion is known to be shown, as by nodes that sync by P2P alone.';
COMMENT ON COLUMN reporting.nodes.blocks_missing IS 'Heights between its lowest and its highest recorded block of its present history that it did not give.';
