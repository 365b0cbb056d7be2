CREATE OR REPLACE VIEW reporting.nodes AS
SELECT n.id,
       coalesce(array_to_string(regexp_match(n.url, '^([A-Za-z][A-Za-z0-9+.-]*://)(?:[^@/?#]*@)?([^@/?#]+)(?:[/?#][^@]*)?$'), ''), '(not a URL)') AS url,
       n.chain_id AS chain, n.aggregator, n.shape, n.service_prefix, n.head, n.oldest, n.inclusion_frontier,
       CASE WHEN n.head < n.inclusion_frontier THEN 0 ELSE n.head - n.inclusion_frontier END AS pending,
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
COMMENT ON COLUMN reporting.nodes.blocks_missing IS 'Heights between its lowest and its highest recorded block of its present history that it did not give.';
