-- Flat views for spreadsheets and BI tools. Columns bear the names of GraphQL, with the unit. Nothing is computed here that the
-- program computes otherwise: figures of cost are the sums that the roll-up has stored.
--
-- A column is never renamed, removed or given another meaning in a version; what is added comes at the end of its view.
CREATE SCHEMA IF NOT EXISTS reporting;
COMMENT ON SCHEMA reporting IS 'Version 1. Views of the record for spreadsheets and BI tools; hindsight sql-user makes roles that read them and nothing else.';

-- A zone that this server does not know has days of UTC, as one that the program does not know.
CREATE FUNCTION reporting.day_end(start timestamptz, zone text) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (date_trunc('day', start AT TIME ZONE zone) + interval '1 day') AT TIME ZONE zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN start + interval '1 day';
END $$;
COMMENT ON FUNCTION reporting.day_end IS 'End of the day of a zone that begins at a moment.';

-- An interval that the log leaves open ends where nobody looks any more, and unknown time follows. Looks in which nothing
-- happens are in the log after 65 s at the latest; 30,000 is the default of notWatchedAfterMs.
CREATE VIEW reporting.health_intervals AS
WITH interval_now AS (
  SELECT i.*, coalesce((t.thresholds ->> 'notWatchedAfterMs')::numeric, 30000) AS after_ms,
         CASE WHEN i.component = 'DA' THEN coalesce(n.list_looked_at, n.last_seen_at) ELSE n.last_seen_at END AS seen_at
    FROM health_interval i
    LEFT JOIN node n ON n.id = i.node AND i.to_at IS NULL
    LEFT JOIN health_fold f ON f.node = i.node AND i.to_at IS NULL
    LEFT JOIN health_threshold t ON t.chain = f.chain
   WHERE i.to_position IS NULL
), known AS (
  SELECT *, CASE WHEN to_at IS NULL AND rule <> 'not-watched'
                           AND now() - seen_at >= interval '1 ms' * (65000 + after_ms)::double precision
                 THEN greatest(from_at, seen_at + interval '1 ms' * after_ms::double precision) END AS unknown_from
    FROM interval_now
)
SELECT node, component, from_at, coalesce(unknown_from, to_at) AS to_at, state, rule, reason, claim, claim_differs
  FROM known WHERE unknown_from IS DISTINCT FROM from_at
UNION ALL
SELECT node, component, unknown_from, NULL, 'UNKNOWN', 'not-watched',
       'Nobody has looked since ' || to_char(seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '.', NULL, NULL
  FROM known WHERE unknown_from IS NOT NULL;

CREATE VIEW reporting.nodes AS
SELECT n.id,
       coalesce(array_to_string(regexp_match(n.url, '^([A-Za-z][A-Za-z0-9+.-]*://)(?:[^@/?#]*@)?([^@/?#]+)(?:[/?#][^@]*)?$'), ''), '(not a URL)') AS url,
       n.chain_id AS chain, n.aggregator, n.shape, n.service_prefix, n.head, n.oldest, n.inclusion_frontier,
       CASE WHEN n.head < n.inclusion_frontier THEN 0 ELSE n.head - n.inclusion_frontier END AS pending,
       da.state AS da_state, da.rule AS da_rule, da.reason AS da_reason, da.from_at AS da_from_at,
       own.state AS node_state, own.rule AS node_rule, own.reason AS node_reason, own.from_at AS node_from_at,
       c.status AS claim,
       CASE WHEN claimed.state IS NOT NULL AND da.state <> 'UNKNOWN'
            THEN claimed.state <> da.state AND claimed.state IN ('HEALTHY', 'CRITICAL') AND da.state IN ('HEALTHY', 'CRITICAL') END AS claim_differs,
       n.submission_count, n.block_count, n.last_success_at, n.last_seen_at, n.retired
  FROM node n
  LEFT JOIN reporting.health_intervals da ON da.node = n.id AND da.component = 'DA' AND da.to_at IS NULL
  LEFT JOIN reporting.health_intervals own ON own.node = n.id AND own.component = 'NODE' AND own.to_at IS NULL
  LEFT JOIN claim c ON c.node = n.id AND c.kind = 'health' AND c.to_position IS NULL
  CROSS JOIN LATERAL (
    SELECT CASE lower(btrim(c.status)) WHEN 'healthy' THEN 'HEALTHY' WHEN 'ok' THEN 'HEALTHY' WHEN 'warning' THEN 'WARNING'
                WHEN 'degraded' THEN 'WARNING' WHEN 'unhealthy' THEN 'CRITICAL' WHEN 'critical' THEN 'CRITICAL' END AS state) claimed;

CREATE VIEW reporting.chains AS
SELECT known.chain AS id, coalesce(s.reporting_time_zone, 'UTC') AS reporting_time_zone, s.da_layer,
       (SELECT count(*) FROM lineage l WHERE l.chain_id = known.chain) AS lineage_count,
       n.node_count, n.aggregator_count, n.head, n.inclusion_frontier,
       CASE WHEN n.head < n.inclusion_frontier THEN 0 ELSE n.head - n.inclusion_frontier END AS pending
  FROM (SELECT chain_id AS chain FROM lineage UNION SELECT chain_id FROM node WHERE chain_id IS NOT NULL
        UNION SELECT chain FROM chain_setting) known
  LEFT JOIN chain_setting s ON s.chain = known.chain
  CROSS JOIN LATERAL (
    SELECT count(*) AS node_count, count(*) FILTER (WHERE aggregator) AS aggregator_count, max(head) AS head,
           max(inclusion_frontier) AS inclusion_frontier
      FROM node WHERE chain_id = known.chain AND NOT retired) n;

-- A row without a lineage belongs to the chain that its node named when it was recorded.
CREATE VIEW reporting.submissions AS
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

CREATE VIEW reporting.blocks AS
SELECT n.id AS node, l.chain_id || '/' || l.n AS lineage, l.chain_id, b.height,
       timestamptz 'epoch' + interval '1 microsecond' * floor(b.time_ns / 1000.0)::double precision AS time, b.time_ns,
       encode(b.hash, 'hex') AS hash,
       nullif(encode(coalesce(b.last_header_hash,
         (SELECT parent.hash FROM block parent WHERE parent.node_key = b.node_key AND parent.lineage_key = b.lineage_key
                                                 AND parent.height = b.height - 1)), 'hex'), '') AS last_header_hash,
       encode(coalesce(b.data_hash, sha256('\x00'::bytea)), 'hex') AS data_hash, encode(b.app_hash, 'hex') AS app_hash,
       encode(p.proposer_address, 'hex') AS proposer_address, b.tx_count, b.tx_bytes AS data_bytes, b.header_blob_bytes,
       b.data_blob_bytes, b.header_da_height, b.data_da_height,
       (b.header_da_height IS NOT NULL AND b.data_da_height IS NOT NULL) AS included,
       code.result[(b.checks & 3) + 1] AS check_link, code.result[((b.checks >> 2) & 3) + 1] AS check_hash,
       code.result[((b.checks >> 4) & 3) + 1] AS check_signature, code.result[((b.checks >> 6) & 3) + 1] AS check_proposer,
       code.result[((b.checks >> 8) & 3) + 1] AS check_data
  FROM block b
  CROSS JOIN LATERAL (SELECT '{NOT_CHECKED,PASSED,FAILED,NOT_CHECKED}'::text[] AS result) code
  JOIN node n ON n.node_key = b.node_key
  JOIN lineage l ON l.lineage_key = b.lineage_key
  JOIN proposer p ON p.proposer_key = b.proposer_key;

CREATE VIEW reporting.losses AS
SELECT l.loss_position AS id, n.id AS node, n.chain_id AS chain, l.kind, l.after_sequence, l.min_lost, l.max_lost, l.likely_lost,
       l.from_at, l.to_at
  FROM loss l JOIN node n ON n.node_key = l.node_key WHERE l.to_position IS NULL;

CREATE VIEW reporting.events AS
SELECT position, stream, version, type, observed_at, recorded_at,
       -- Addresses of nodes can hold a password, which an earlier release recorded whole.
       CASE WHEN type IN ('NodeRegistered', 'NodeSettingsChanged')
            THEN regexp_replace(body::text, '"[A-Za-z][A-Za-z0-9+.-]*://(?:[^"\\]|\\.)*"', '"(an address)"', 'g')::json ELSE body END AS body,
       encode(hash, 'hex') AS hash
  FROM event;

-- Statistics and cost by hour and day. Each attempt counts once: a chain's figures are its own, not the sum of what its nodes
-- showed; those stand in views of their own, whose names begin with node_.
DO $do$
DECLARE
  of record;
  given text;
  parts text;
BEGIN
  FOR of IN SELECT * FROM (VALUES
      ('', 'hourly', 1, $$s.bucket_at + interval '1 hour'$$, $$(s.node_key = 0 OR s.chain = '')$$, $$n.chain_id = s.chain OR n.node_key = s.node_key$$),
      ('', 'daily', 2, NULL, $$(s.node_key = 0 OR s.chain = '')$$, $$n.chain_id = s.chain OR n.node_key = s.node_key$$),
      ('node_', 'hourly', 1, $$s.bucket_at + interval '1 hour'$$, $$s.node_key <> 0$$, $$n.node_key = s.node_key$$),
      ('node_', 'daily', 2, NULL, $$s.node_key <> 0$$, $$n.node_key = s.node_key$$)
    ) AS view (prefix, name, grain, bucket_end, owner, member)
  LOOP
    of.bucket_end := coalesce(of.bucket_end, $$reporting.day_end(s.bucket_at,
      coalesce((SELECT z.reporting_time_zone FROM chain_setting z WHERE z.chain = s.chain), 'UTC'))$$);
    given := $$s.bucket_at AS time, o.id AS node, nullif(s.chain, '') AS chain, ns.namespace,
      coalesce(('{HEADER,DATA,MIXED,UNKNOWN}'::text[])[s.kind + 1], 'UNKNOWN') AS kind,
      coalesce(('{SUCCESS,NOT_FOUND,NOT_INCLUDED_IN_BLOCK,ALREADY_IN_MEMPOOL,TOO_BIG,CONTEXT_DEADLINE,ERROR,INCORRECT_ACCOUNT_SEQUENCE,CONTEXT_CANCELED,HEIGHT_FROM_FUTURE,OTHER}'::text[])[s.status + 1], 'OTHER') AS status,$$;
    parts := format($$
      -- The union of what the nodes cover of the bucket, of what is past of it.
      coalesce((SELECT sum(extract(epoch FROM upper(part) - lower(part)))
                  FROM (SELECT unnest(range_agg(tstzrange(greatest(c.from_at, s.bucket_at), least(c.to_at, %1$s, now())))) AS part
                          FROM node n JOIN coverage_interval c ON c.node = n.id
                         WHERE (%2$s) AND c.to_at > s.bucket_at AND c.from_at < least(%1$s, now()) AND c.from_at < c.to_at) covered)
               / nullif(greatest(extract(epoch FROM least(%1$s, now()) - s.bucket_at), 0), 0), 0)::double precision AS coverage
      FROM statistic s
      LEFT JOIN node o ON o.node_key = s.node_key
      LEFT JOIN namespace ns ON ns.namespace_key = s.namespace_key
     WHERE s.grain = %3$s AND %4$s$$, of.bucket_end, of.member, of.grain, of.owner);
    EXECUTE format($$CREATE VIEW reporting.%I AS SELECT %s
      s.attempts, CASE s.status WHEN 0 THEN s.attempts ELSE 0 END AS successes,
      CASE s.status WHEN 0 THEN 0 ELSE s.attempts END AS failures, s.reconstructed, s.landed, s.unreferenced, s.unreadable,
      s.blob_count, s.size_bytes, s.measured_blobs, s.measured_bytes,
      s.measured_bytes::double precision / nullif(s.measured_blobs, 0) AS average_blob_bytes,
      CASE WHEN s.costed = 0 OR s.costed > s.gas_unknown THEN s.shares_min END AS shares_min,
      CASE WHEN s.gas_unknown = 0 THEN s.shares_max END AS shares_max, s.reconstructed_shares,
      s.gas_price_min AS gas_price_min_utia, s.gas_price_sum / nullif(s.gas_price_count, 0) AS gas_price_mean_utia,
      s.gas_price_max AS gas_price_max_utia, s.gas_price_last AS gas_price_last_utia, %s$$,
      of.prefix || 'statistics_' || of.name, given, parts);
    EXECUTE format($$CREATE VIEW reporting.%I AS SELECT %s
      s.costed AS submissions, s.landed, s.size_bytes, s.unreadable,
      CASE WHEN s.costed = 0 OR s.costed > s.gas_unknown THEN s.gas_min END AS gas_min,
      CASE WHEN s.gas_unknown = 0 THEN s.gas_max END AS gas_max, s.gas_unknown,
      CASE WHEN s.costed = 0 OR s.costed > s.fee_unknown THEN s.fee_min END AS fee_min_utia,
      CASE WHEN s.fee_unknown = 0 THEN s.fee_max END AS fee_max_utia,
      CASE WHEN s.costed = 0 OR s.costed > s.fee_unknown THEN s.fee_max END AS known_fee_max_utia, s.fee_unknown,
      CASE WHEN s.costed = 0 THEN 0 ELSE (SELECT (min(m.value ->> 'min'))::numeric FROM jsonb_each(s.fiat) m HAVING count(*) = 1)
       END AS fiat_min,
      CASE WHEN s.costed = 0 THEN 0 ELSE (SELECT (min(m.value ->> 'max'))::numeric FROM jsonb_each(s.fiat) m
       HAVING count(*) = 1 AND min((m.value ->> 'count')::bigint) = s.costed) END AS fiat_max,
      (SELECT min(m.key) FROM jsonb_each(s.fiat) m HAVING count(*) = 1) AS fiat_unit,
      s.failed AS failed_attempts, CASE WHEN s.failed_unknown = 0 THEN s.failed_fee_max END AS failed_fee_max_utia,
      s.unreferenced,
      CASE WHEN s.unreferenced = 0 OR s.wasted_fee_min > 0 OR s.fee_unknown = 0 THEN s.wasted_fee_min END AS wasted_fee_min_utia,
      CASE WHEN s.unreferenced = 0 OR s.fee_unknown = 0 THEN s.wasted_fee_max END AS wasted_fee_max_utia,
      coalesce(s.imported::double precision / nullif(s.costed, 0), 0) AS imported_share,
      coalesce(s.recorded::double precision / nullif(s.costed, 0), 0) AS recorded_share,
      coalesce(s.priced::double precision / nullif(s.costed, 0), 0) AS priced_share,
      coalesce(s.fee_unknown::double precision / nullif(s.costed, 0), 0) AS unknown_share, %s$$,
      of.prefix || 'cost_' || of.name, given, parts);
  END LOOP;
END $do$;

DO $do$
DECLARE
  of record;
BEGIN
  FOR of IN SELECT * FROM (VALUES
      ('health_intervals', NULL, 'Each node''s health as two unbroken lines of intervals, as it is known now.'),
      ('nodes', NULL, 'Each node that was ever watched, and how it is now.'),
      ('chains', NULL, 'Each chain, and how far it is. Heights are of the nodes that are in the settings.'),
      ('submissions', NULL, 'Each attempt to post a batch, as it is known now: those of lists, and those that only blocks prove. What the node sent (raw), and the ids of the blobs, stand in the events.'),
      ('blocks', NULL, 'Each block header that a node showed, and what was checked of it. Bound it by node, lineage and height, for which there is an index.'),
      ('losses', NULL, 'Holes in what was seen of the lists, as they are known now. GraphQL explains each in a sentence.'),
      ('events', NULL, 'The log: everything that was ever observed. Read on from a position; addresses of nodes are left out.'),
      ('statistics_hourly', 'node_statistics_hourly', 'by hour of UTC. GraphQL has more: distributions, blocks, losses, longer buckets.'),
      ('statistics_daily', 'node_statistics_daily', 'by day of the chain''s reporting zone. GraphQL has more: distributions, blocks, losses, longer buckets.'),
      ('cost_hourly', 'node_cost_hourly', 'by hour of UTC: what costReport tells of the same hours.'),
      ('cost_daily', 'node_cost_daily', 'by day of the chain''s reporting zone: what costReport tells of the same days.')
    ) AS told (view, of_nodes, about)
  LOOP
    EXECUTE format('COMMENT ON VIEW reporting.%I IS %L', of.view,
      CASE WHEN of.of_nodes IS NULL THEN '' WHEN of.view LIKE 'cost%' THEN 'Cost of each chain ' ELSE 'Submissions of each chain, each attempt once, ' END || of.about);
    CONTINUE WHEN of.of_nodes IS NULL;
    EXECUTE format('COMMENT ON VIEW reporting.%I IS %L', of.of_nodes,
      'What each node showed, ' || of.about || ' Several nodes may have shown the same attempt: these rows are not to be added up over nodes.');
  END LOOP;

  -- An empty view: what holds in all of them.
  FOR of IN SELECT c.relname AS view, a.attname AS name, told.text
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    CROSS JOIN LATERAL (SELECT text FROM (VALUES
      ('nodes', 'id', 'The id from the settings.'),
      ('nodes', 'url', 'Scheme, host and port of its RPC server.'),
      ('nodes', 'chain', 'Null until it has said its chain.'),
      ('nodes', 'aggregator', 'Whether it submits to the DA layer; null while unknown.'),
      ('nodes', 'shape', 'Which form it gives its answers: SPEC or EV_NODE.'),
      ('nodes', 'service_prefix', 'Prefix of its store service, such as evnode.v1.'),
      ('nodes', 'oldest', 'The oldest height that it still has.'),
      ('nodes', 'da_state', 'HEALTHY, WARNING, CRITICAL or UNKNOWN: whether its data reaches the DA layer.'),
      ('nodes', 'da_rule', 'The rule that decided.'),
      ('nodes', 'da_reason', 'Why, with numbers and thresholds.'),
      ('nodes', 'da_from_at', 'Since when.'),
      ('nodes', 'node_state', 'HEALTHY, WARNING, CRITICAL or UNKNOWN: whether the node itself runs and moves on.'),
      ('nodes', 'node_rule', 'The rule that decided.'),
      ('nodes', 'node_reason', 'Why, with numbers and thresholds.'),
      ('nodes', 'node_from_at', 'Since when.'),
      ('nodes', 'claim', 'The status of its own /da/health, as sent.'),
      ('nodes', 'claim_differs', 'Whether the claim contradicts da_state: one says healthy, the other critical. Null where there is nothing to compare.'),
      ('nodes', 'submission_count', 'Rows recorded from its list.'),
      ('nodes', 'block_count', 'Blocks recorded from it.'),
      ('nodes', 'last_success_at', 'Time of its newest successful submission.'),
      ('nodes', 'last_seen_at', 'When it last answered anything.'),
      ('nodes', 'retired', 'No longer in the settings; what it showed is kept.'),
      ('chains', 'id', 'Its chain_id.'),
      ('chains', 'reporting_time_zone', 'Zone of its days.'),
      ('chains', 'da_layer', 'Name of its DA layer, where the settings say it.'),
      ('chains', 'lineage_count', 'Histories that it is known to have had; a proven difference opens the next.'),
      ('chains', 'node_count', 'Nodes that say they are of it.'),
      ('chains', 'aggregator_count', 'Of them, those that submit to the DA layer.'),
      ('', 'head', 'Newest height.'),
      ('', 'inclusion_frontier', 'The height up to which every recorded block is included, header and data; null while none is known to be.'),
      ('', 'pending', 'Blocks produced and not yet included; null where either height is not known.'),
      ('submissions', 'id', 'As in GraphQL: stable, never used again.'),
      ('submissions', 'time', 'The time it counts under: occurred_at, or observed_at where that is missing or cannot be true.'),
      ('submissions', 'chain', 'Null until the node has said its chain.'),
      ('submissions', 'node', 'Null for RECONSTRUCTED: those belong to the chain.'),
      ('submissions', 'sequence', '1, 2, 3 ... per node, in the order of entering its list; null for RECONSTRUCTED.'),
      ('submissions', 'ring', 'How often, at least, the list had been emptied before.'),
      ('submissions', 'status', 'How the attempt ended.'),
      ('submissions', 'status_text', 'The status as sent, where it is OTHER.'),
      ('submissions', 'message', 'The message of the node; of a long one the first 4,000 characters.'),
      ('submissions', 'da_height', 'Height of the DA layer; null where there is none.'),
      ('submissions', 'blob_count', 'Blobs of the batch; null where it cannot be read.'),
      ('submissions', 'size_bytes', 'Bytes of all blobs; null where the node does not know.'),
      ('submissions', 'gas_price_utia', 'utia per gas, as the node reported it; null where it did not.'),
      ('submissions', 'occurred_at', 'By the clock of the node; null for the zero time.'),
      ('submissions', 'observed_at', 'The look that showed it, by our clock.'),
      ('submissions', 'evidence', 'What the blocks say: OBSERVED, CONFIRMED, UNCONFIRMED, UNREFERENCED or RECONSTRUCTED.'),
      ('submissions', 'block_from', 'Height of the first block it carried, where known.'),
      ('submissions', 'block_to', 'Height of the last one.'),
      ('', 'namespace', '58 hex digits, lower case; null where none is named.'),
      ('', 'kind', 'What the batch holds: HEADER, DATA, MIXED or UNKNOWN.'),
      ('blocks', 'node', 'The node that showed it.'),
      ('blocks', 'lineage', 'chain/n: the history of the chain that it belongs to.'),
      ('blocks', 'chain_id', 'Its chain.'),
      ('blocks', 'height', 'Height in the chain.'),
      ('blocks', 'time', 'By the proposer, cut to microseconds.'),
      ('blocks', 'time_ns', 'The same in nanoseconds since 1970. There is an index for it, and none for time.'),
      ('blocks', 'hash', 'Header hash, hex; null under a scheme that is not known.'),
      ('blocks', 'last_header_hash', 'That of the block before, as the header names it, hex.'),
      ('blocks', 'data_hash', 'As the header names it, hex.'),
      ('blocks', 'app_hash', 'As the header names it, hex.'),
      ('blocks', 'proposer_address', 'As the header names it, hex.'),
      ('blocks', 'tx_count', 'Transactions in it.'),
      ('blocks', 'data_bytes', 'Bytes of these transactions.'),
      ('blocks', 'header_blob_bytes', 'Bytes of its header as posted to the DA layer; null under a scheme that is not known.'),
      ('blocks', 'data_blob_bytes', 'Bytes of its data as posted, 0 without transactions; null under a scheme that is not known.'),
      ('blocks', 'header_da_height', 'DA height that includes its header; null while none does.'),
      ('blocks', 'data_da_height', 'DA height that includes its data; without transactions that of the header again.'),
      ('blocks', 'included', 'Whether header and data are both included.'),
      ('blocks', 'check_link', 'Its last header hash is that of the block before: PASSED, FAILED or NOT_CHECKED.'),
      ('blocks', 'check_hash', 'The computed header hash is the one that its successor bears.'),
      ('blocks', 'check_signature', 'The signature of the proposer over the header.'),
      ('blocks', 'check_proposer', 'Header and signer name the address of the key of the signer.'),
      ('blocks', 'check_data', 'Data hash and metadata fit header and transactions.'),
      ('losses', 'id', 'As in GraphQL.'),
      ('losses', 'node', 'The node whose list it was.'),
      ('losses', 'chain', 'What that node says its chain is.'),
      ('losses', 'kind', 'OVERFLOW, RESET, AMBIGUOUS or BEFORE_START.'),
      ('losses', 'after_sequence', 'The last recorded row before the hole; 0 for none.'),
      ('losses', 'min_lost', 'Rows that are proven to be missing; may rise when blocks show more.'),
      ('losses', 'max_lost', 'Rows that can be missing at most; null where nothing proves a bound.'),
      ('losses', 'likely_lost', 'An estimate from the rate around the hole.'),
      ('losses', 'from_at', 'The last look before the hole; null for BEFORE_START.'),
      ('losses', 'to_at', 'The look that found it.'),
      ('health_intervals', 'node', 'Id of the node.'),
      ('health_intervals', 'component', 'DA: whether its data reaches the DA layer. NODE: whether it runs and moves on.'),
      ('health_intervals', 'from_at', 'Start, inclusive, by our clock.'),
      ('health_intervals', 'to_at', 'End, exclusive; null for the present one.'),
      ('health_intervals', 'state', 'HEALTHY, WARNING, CRITICAL or UNKNOWN.'),
      ('health_intervals', 'rule', 'The rule that decided.'),
      ('health_intervals', 'reason', 'Why, with numbers and thresholds.'),
      ('health_intervals', 'claim', 'What the node claimed in its own /da/health.'),
      ('health_intervals', 'claim_differs', 'Whether the claim contradicted us; null where there is nothing to compare.'),
      ('events', 'position', 'Order of all events, without gaps.'),
      ('events', 'stream', '<node>/<subject>, or <chain>/chain.'),
      ('events', 'version', 'Order within the stream, from 1.'),
      ('events', 'type', 'What happened.'),
      ('events', 'observed_at', 'By the clock of the observer.'),
      ('events', 'recorded_at', 'By the clock of the database; never smaller than that of the position before.'),
      ('events', 'body', 'What was seen, as sent.'),
      ('events', 'hash', 'SHA-256 of the stream so far, hex; see hindsight verify.'),
      ('', 'time', 'Start of the bucket.'),
      ('', 'node', 'The node. In views of chains it names one that has not said its chain, and is null else.'),
      ('', 'chain', 'Null for what nodes showed before they said their chain.'),
      ('', 'status', 'How the attempts ended; of reconstructed ones SUCCESS.'),
      ('', 'attempts', 'Rows that lists showed.'),
      ('', 'successes', 'Of attempts.'),
      ('', 'failures', 'Of attempts.'),
      ('', 'reconstructed', 'Successes that only blocks prove: in volume and cost, not in attempts.'),
      ('', 'landed', 'Failures whose blobs blocks show all the same: in volume and cost.'),
      ('', 'unreferenced', 'Successes that no block points to: paid for nothing.'),
      ('', 'unreadable', 'Submissions whose blobs or bytes are not known: they are missing in the sums.'),
      ('', 'blob_count', 'Blobs posted, where known.'),
      ('', 'size_bytes', 'Bytes posted, where known.'),
      ('', 'measured_blobs', 'Blobs of submissions of which blobs and bytes are known: to average over several rows.'),
      ('', 'measured_bytes', 'Bytes of the same submissions.'),
      ('', 'average_blob_bytes', 'Mean bytes of a blob.'),
      ('', 'shares_min', 'Least shares on the DA layer of the submissions whose size is known.'),
      ('', 'shares_max', 'Most shares; null where the size of one is not known.'),
      ('', 'reconstructed_shares', 'Shares of the reconstructed ones, where known.'),
      ('', 'gas_price_min_utia', 'Least gas price that an attempt reported, utia per gas.'),
      ('', 'gas_price_mean_utia', 'Mean over the attempts that reported one.'),
      ('', 'gas_price_max_utia', 'The highest of them.'),
      ('', 'gas_price_last_utia', 'The latest of them.'),
      ('', 'coverage', 'Share of the time of the bucket, as far as it is past, in which no attempt can have been missed: 0 to 1.'),
      ('', 'submissions', 'Successes, reconstructed ones, and failures that landed.'),
      ('', 'gas_min', 'Gas at least; null where nothing of it is known.'),
      ('', 'gas_max', 'Gas at most; null where that of one submission is not known. A sum over rows is a bound only where gas_unknown is 0 in all of them.'),
      ('', 'gas_unknown', 'Submissions whose gas has no bound.'),
      ('', 'fee_min_utia', 'At least this was paid, utia; null where nothing of it is known.'),
      ('', 'fee_max_utia', 'At most this was paid, utia; null where one fee is not known. A sum over rows is a bound only where fee_unknown is 0 in all of them.'),
      ('', 'known_fee_max_utia', 'At most this was paid for the submissions whose fee is known.'),
      ('', 'fee_unknown', 'Submissions whose fee is not known.'),
      ('', 'fiat_min', 'The fees at the rates of their times, in fiat_unit; null without a rate or with several currencies, 0 without submissions.'),
      ('', 'fiat_max', 'The same of the most; null where one submission is missing in it.'),
      ('', 'fiat_unit', 'Currency of the rates, such as EUR.'),
      ('', 'failed_attempts', 'Attempts that failed and did not land. Apart: never in the fees.'),
      ('', 'failed_fee_max_utia', 'What these cost at most, if they were charged; null where one has no bound.'),
      ('', 'wasted_fee_min_utia', 'What unreferenced ones took of the fee at least.'),
      ('', 'wasted_fee_max_utia', 'The same at most.'),
      ('', 'imported_share', 'Submissions whose fee was imported. The four shares add up to 1; without submissions all are 0.'),
      ('', 'recorded_share', 'Submissions priced by the gas price that the node reported.'),
      ('', 'priced_share', 'Submissions priced by the price book.'),
      ('', 'unknown_share', 'Submissions whose fee is not known.')
    ) AS one (view, name, text) WHERE one.name = a.attname AND one.view IN (c.relname, '') ORDER BY one.view DESC LIMIT 1) told
   WHERE c.relnamespace = 'reporting'::regnamespace AND c.relkind = 'v'
  LOOP
    EXECUTE format('COMMENT ON COLUMN reporting.%I.%I IS %L', of.view, of.name, of.text);
  END LOOP;
END $do$;
