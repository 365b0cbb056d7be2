-- A row without a lineage belongs to the chain that its node named when it was recorded.
CREATE OR REPLACE VIEW reporting.submissions AS
SELECT CASE WHEN s.node_key IS NULL
            THEN concat_ws('~', replace(replace(l.chain_id, '%', '%25'), '~', '%7E'), l.n, code.kind, s.da_height)
            ELSE concat_ws('~', replace(replace(n.id, '%', '%25'), '~', '%7E'), s.sequence) END AS id,
       s.time_at AS time, coalesce(l.chain_id, (
         SELECT c.chain_id FROM node_chain c WHERE c.node_key = s.node_key AND c.from_position <= s.from_position
          ORDER BY c.from_position DESC LIMIT 1)) AS chain, n.id AS node, s.sequence, s.ring, code.status, s.status_text,
       s.message, ns.namespace, code.kind, s.da_height, s.blob_count, s.size_bytes, s.gas_price AS gas_price_utia, s.occurred_at,
       s.observed_at, code.evidence, s.block_from, s.block_to
  FROM submission s
  CROSS JOIN LATERAL (
    SELECT coalesce(('{SUCCESS,NOT_FOUND,NOT_INCLUDED_IN_BLOCK,ALREADY_IN_MEMPOOL,TOO_BIG,CONTEXT_DEADLINE,ERROR,INCORRECT_ACCOUNT_SEQUENCE,CONTEXT_CANCELED,HEIGHT_FROM_FUTURE,OTHER}'::text[])[s.status + 1], 'OTHER') AS status,
           coalesce(('{HEADER,DATA,MIXED,UNKNOWN}'::text[])[s.kind + 1], 'UNKNOWN') AS kind,
           ('{OBSERVED,CONFIRMED,UNCONFIRMED,UNREFERENCED,RECONSTRUCTED}'::text[])[s.evidence + 1] AS evidence) code
  LEFT JOIN node n ON n.node_key = s.node_key
  LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
  LEFT JOIN namespace ns ON ns.namespace_key = s.namespace_key
 WHERE s.to_position IS NULL;
