-- Flat views for spreadsheets and BI tools. Columns bear the names of GraphQL, with the unit. Nothing is computed here that the
-- program computes otherwise: figures of cost are the sums that the roll-up has stored.
--
-- A column is never renamed, removed or given another meaning in a version; what is added comes at the end of its view.
CREATE SCHEMA IF NOT EXISTS reporting;
COMMENT ON SCHEMA reporting IS 'Version 1. Views of the record for spreadsheets and BI tools; hindsight sql-user makes roles that read them and nothing else.';

-- Clocks of a zone that this server does not know show UTC, as those of one that the program does not know.
CREATE FUNCTION reporting.clock_at(at timestamptz, zone text) RETURNS timestamp LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN at AT TIME ZONE zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN at AT TIME ZONE 'UTC';
END $$;
COMMENT ON FUNCTION reporting.clock_at IS 'What the clocks of a zone show at a moment.';

CREATE FUNCTION reporting.moment_of(clock timestamp, zone text) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- Of what clocks show twice the server takes the second.
  RETURN CASE clock WHEN (clock AT TIME ZONE zone - interval '1 hour') AT TIME ZONE zone THEN clock AT TIME ZONE zone - interval '1 hour'
                    ELSE clock AT TIME ZONE zone END;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN clock AT TIME ZONE 'UTC';
END $$;
COMMENT ON FUNCTION reporting.moment_of IS 'The first moment at which the clocks of a zone show this, or pass over it.';

CREATE FUNCTION reporting.add_up(money jsonb[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_object_agg(unit, jsonb_build_object('min', min, 'max', max, 'count', count)), '{}')
    FROM (SELECT m.key AS unit, sum((m.value ->> 'min')::numeric) AS min, sum((m.value ->> 'max')::numeric) AS max,
                 sum((m.value ->> 'count')::bigint) AS count
            FROM unnest(money) AS part CROSS JOIN LATERAL jsonb_each(part) AS m GROUP BY m.key) sums
$$;
COMMENT ON FUNCTION reporting.add_up IS 'Money of several buckets as it is stored, by its unit.';

CREATE FUNCTION reporting.largest_of(sketch bytea) RETURNS double precision LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  place int := 1;
  byte int;
  whole double precision := 0;
  unit double precision := 1;
  fraction double precision := 0;
  exponent int;
BEGIN
  IF get_byte(sketch, 0) NOT IN (1, 2) THEN RETURN NULL; END IF;
  -- A varint that says how many bins there are; none of 0.
  IF get_byte(sketch, place) = 0 THEN RETURN NULL; END IF;
  WHILE get_byte(sketch, place) >= 128 LOOP place := place + 1; END LOOP;
  place := place + 1;
  IF get_byte(sketch, 0) = 1 THEN
    LOOP
      byte := get_byte(sketch, place);
      whole := whole + (byte & 127) * unit;
      EXIT WHEN byte < 128;
      place := place + 1;
      unit := unit * 128;
    END LOOP;
    RETURN whole;
  END IF;
  -- A double of eight bytes, big end first, that is not negative: no cast reads one.
  exponent := get_byte(sketch, place) * 16 + get_byte(sketch, place + 1) / 16;
  fraction := get_byte(sketch, place + 1) & 15;
  FOR part IN 2..7 LOOP fraction := fraction * 256 + get_byte(sketch, place + part); END LOOP;
  IF exponent = 0 THEN RETURN fraction / 2.0 ^ 52 * 2.0::double precision ^ -1022; END IF;
  RETURN (1 + fraction / 2.0::double precision ^ 52) * 2.0::double precision ^ (exponent - 1023);
END $$;
COMMENT ON FUNCTION reporting.largest_of IS 'The greatest value of a distribution as it is stored (src/domain/statistics/sketch-code.ts); null without values.';

CREATE FUNCTION reporting.time_in_words(at timestamptz) RETURNS text LANGUAGE sql STABLE
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') || ' UTC';
COMMENT ON FUNCTION reporting.time_in_words IS 'A time to milliseconds, for people.';

CREATE FUNCTION reporting.length_in_words(ms bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN ms < 60000 THEN trim_scale(round(ms / 100.0) / 10) || ' s' ELSE (
    SELECT string_agg(count || ' ' || unit, ' ' ORDER BY n) FROM (
      SELECT *, min(n) FILTER (WHERE count > 0) OVER () AS first
        FROM (SELECT round(ms / 1000.0)::bigint AS s) whole
       CROSS JOIN LATERAL (VALUES (1, s / 86400, 'd'), (2, s / 3600 % 24, 'h'), (3, s / 60 % 60, 'min'), (4, s % 60, 's')) part (n, count, unit)) parts
     WHERE count > 0 AND n <= first + 1) END
$$;
COMMENT ON FUNCTION reporting.length_in_words IS 'A length of time in two units at most, for people.';

CREATE FUNCTION reporting.rows_in_words(count bigint) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN CASE count WHEN 1 THEN '1 row was' ELSE count || ' rows were' END;
COMMENT ON FUNCTION reporting.rows_in_words IS 'How many rows were something, for people.';

CREATE FUNCTION reporting.explain_loss(
  node text, kind text, after_sequence bigint, min_lost bigint, max_lost bigint, likely_lost bigint, from_at timestamptz, to_at timestamptz
) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws(' ',
    CASE kind
      WHEN 'OVERFLOW' THEN span || ' more rows entered the list of ' || node || ' than it holds, so some may have left it unseen ' || place || '.'
      WHEN 'RESET' THEN 'At ' || reporting.time_in_words(to_at) || ' the list of ' || node
        || ' was empty or had begun anew, as after a restart or a change of leader. Rows that entered it after our look before'
        || coalesce(' at ' || reporting.time_in_words(from_at) || ' (' || length || ' earlier)', '') || ' went with the old one, ' || place || '.'
      WHEN 'AMBIGUOUS' THEN span || ' the list of ' || node
        || ' moved on, and no row that both looks show has a time of its own to prove by how far: rows may be missing ' || place || '.'
      ELSE 'We first saw the list of ' || node || ' at ' || reporting.time_in_words(to_at) || '; rows that had left it by then were never seen.'
    END,
    CASE
      WHEN max_lost = 0 THEN 'It is proven that none was lost.'
      WHEN min_lost = max_lost THEN 'It is proven that ' || reporting.rows_in_words(min_lost) || ' lost.'
      ELSE CASE min_lost WHEN 0 THEN 'No lost row is proven so far'
                         ELSE 'Proven by blocks: at least ' || reporting.rows_in_words(min_lost) || ' lost' END
        || coalesce(', and more than ' || max_lost || ' it cannot have been.', ', and nothing proves an upper limit.')
    END,
    CASE WHEN likely_lost IS NOT NULL AND min_lost IS DISTINCT FROM max_lost
         THEN 'From the rate around it, about ' || reporting.rows_in_words(likely_lost) || ' lost: that is a guess.' END)
  FROM (SELECT reporting.length_in_words(floor(extract(epoch FROM to_at - from_at) * 1000)::bigint) AS length) measured
 CROSS JOIN LATERAL (
    SELECT coalesce('Between ' || reporting.time_in_words(from_at) || ' and ' || reporting.time_in_words(to_at) || ' (' || length || ')',
                    'Before ' || reporting.time_in_words(to_at)) AS span,
           CASE after_sequence WHEN 0 THEN 'before the first row that we recorded' ELSE 'after row ' || after_sequence END AS place) told
$$;
COMMENT ON FUNCTION reporting.explain_loss IS 'What happened, what is proven and what is a guess: the words of src/domain/submissions/loss-explanation.ts.';

CREATE FUNCTION reporting.explain_open_loss(node text, after_sequence bigint, from_at timestamptz, to_at timestamptz) RETURNS text LANGUAGE sql STABLE
  RETURN 'A list of ' || node || ' has not been seen since ' || reporting.time_in_words(from_at) || '; the last look was at ' || reporting.time_in_words(to_at)
    || '. Rows may be missing' || CASE after_sequence WHEN 0 THEN '' ELSE ' after row ' || after_sequence END
    || ': if the list is seen again as it was, none is, and this entry goes.';
COMMENT ON FUNCTION reporting.explain_open_loss IS 'What an open hole is: the words of src/domain/submissions/loss-explanation.ts.';

-- An interval that the log leaves open ends where nobody looks any more, and unknown time follows. Looks in which nothing
-- happens are in the log after 65 s at the latest; 30,000 is the default of notWatchedAfterMs.
-- A node that does not answer is seen no more, but its list is looked at all the same: it is down, and not unwatched.
CREATE VIEW reporting.health_intervals AS
WITH present AS (
  SELECT i.*, coalesce((t.thresholds ->> 'notWatchedAfterMs')::numeric, 30000) AS after_ms,
         CASE WHEN i.component = 'DA' THEN coalesce(n.list_looked_at, n.last_seen_at)
              ELSE greatest(n.last_seen_at, n.list_looked_at) END AS seen_at
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
       n.submission_count, n.block_count, n.last_success_at, n.last_seen_at, n.retired, da.from_at AS da_from, own.from_at AS node_from
  FROM node n
  LEFT JOIN reporting.health_intervals da ON da.node = n.id AND da.component = 'DA' AND da.to_at IS NULL
  LEFT JOIN reporting.health_intervals own ON own.node = n.id AND own.component = 'NODE' AND own.to_at IS NULL
  LEFT JOIN claim c ON c.node = n.id AND c.kind = 'health' AND c.to_position IS NULL
  CROSS JOIN LATERAL (
    SELECT CASE lower(btrim(c.status)) WHEN 'healthy' THEN 'HEALTHY' WHEN 'ok' THEN 'HEALTHY' WHEN 'warning' THEN 'WARNING'
                WHEN 'degraded' THEN 'WARNING' WHEN 'unhealthy' THEN 'CRITICAL' WHEN 'critical' THEN 'CRITICAL' END AS state) claimed;

-- Heights are those of the nodes on the newest history, as GraphQL has them.
CREATE VIEW reporting.chains AS
WITH member AS (
  SELECT chain_id AS chain, node_key FROM node WHERE chain_id IS NOT NULL
  UNION SELECT chain_id, node_key FROM node_chain
  UNION SELECT l.chain_id, n.node_key FROM node n JOIN lineage l USING (lineage_key)
  UNION SELECT l.chain_id, w.node_key FROM inclusion_walk w JOIN lineage l USING (lineage_key)
), present AS (
  SELECT l.chain_id AS chain, n.head, n.inclusion_frontier, rank() OVER (PARTITION BY l.chain_id ORDER BY l.n DESC) AS age
    FROM node n JOIN lineage l USING (lineage_key)
), heights AS (
  SELECT chain, max(head) AS head, max(inclusion_frontier) AS inclusion_frontier FROM present WHERE age = 1 GROUP BY chain
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
       CASE WHEN t.head < t.inclusion_frontier THEN 0 ELSE t.head - t.inclusion_frontier END AS pending,
       undecided.since AS undecided_since, undecided.steps AS undecided_steps,
       coalesce(o.nodes, '{}') AS nodes, coalesce(h.lineages, '{}') AS lineages, coalesce(o.aggregators, '{}') AS aggregators
  FROM known
  LEFT JOIN chain_setting s ON s.chain = known.chain
  LEFT JOIN heights t ON t.chain = known.chain
  LEFT JOIN of_chain o ON o.chain = known.chain
  LEFT JOIN history h ON h.chain = known.chain
 CROSS JOIN LATERAL (
   SELECT min(m.at) AS since, count(*)::int AS steps FROM decision_turn m WHERE m.chain = known.chain) undecided;

-- Of a row of a list its node and place; of another one the history, kind and DA height that prove it.
CREATE FUNCTION reporting.submission_id(node text, sequence bigint, chain text, lineage int, kind text, da_height bigint) RETURNS text
  LANGUAGE sql STABLE
  RETURN CASE WHEN sequence IS NOT NULL THEN replace(replace(node, '%', '%25'), '~', '%7E') || '~' || sequence
              ELSE replace(replace(chain, '%', '%25'), '~', '%7E') || '~' || lineage || '~' || kind || '~' || da_height END;
COMMENT ON FUNCTION reporting.submission_id IS 'What names a submission for ever, in every answer; src/api/submissions/submission-id.ts reads it.';

CREATE VIEW reporting.submissions AS
SELECT reporting.submission_id(n.id, s.sequence, s.chain_id, l.n, code.kind, s.da_height) AS id,
       s.time_at AS time, s.chain_id AS chain, n.id AS node, s.sequence, s.ring, code.status, s.status_text,
       s.message, ns.namespace, code.kind, s.da_height, s.blob_count, s.size_bytes, s.gas_price AS gas_price_utia, s.occurred_at,
       s.observed_at, code.evidence, s.block_from, s.block_to,
       (SELECT c.at FROM record_change c WHERE c.change >= s.change ORDER BY c.change LIMIT 1) AS updated_at, s.to_position IS NOT NULL AS withdrawn,
       s.possible AS possible_attempts, s.counts_for_chain
  FROM submission s
  CROSS JOIN LATERAL (
    SELECT coalesce(('{SUCCESS,NOT_FOUND,NOT_INCLUDED_IN_BLOCK,ALREADY_IN_MEMPOOL,TOO_BIG,CONTEXT_DEADLINE,ERROR,INCORRECT_ACCOUNT_SEQUENCE,CONTEXT_CANCELED,HEIGHT_FROM_FUTURE,OTHER}'::text[])[s.status + 1], 'OTHER') AS status,
           coalesce(('{HEADER,DATA,MIXED,UNKNOWN}'::text[])[s.kind + 1], 'UNKNOWN') AS kind,
           ('{OBSERVED,CONFIRMED,UNCONFIRMED,UNREFERENCED,RECONSTRUCTED,UNDECIDED}'::text[])[s.evidence + 1] AS evidence) code
  LEFT JOIN node n ON n.node_key = s.node_key
  LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
  LEFT JOIN namespace ns ON ns.namespace_key = s.namespace_key
 WHERE s.to_position IS NULL;

-- The five checks stand twice: under the names of version 1, and under those that GraphQL has.
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
       checked.link AS check_link, checked.hash AS check_hash, checked.signature AS check_signature, checked.proposer AS check_proposer,
       checked.data AS check_data, (SELECT c.at FROM record_change c WHERE c.change >= b.change ORDER BY c.change LIMIT 1) AS updated_at, false AS withdrawn,
       checked.link AS checks_link, checked.hash AS checks_hash, checked.signature AS checks_signature,
       checked.proposer AS checks_proposer, checked.data AS checks_data
  FROM block b
  CROSS JOIN LATERAL (SELECT '{NOT_CHECKED,PASSED,FAILED,NOT_CHECKED}'::text[] AS result) code
  CROSS JOIN LATERAL (
    SELECT code.result[(b.checks & 3) + 1] AS link, code.result[((b.checks >> 2) & 3) + 1] AS hash,
           code.result[((b.checks >> 4) & 3) + 1] AS signature, code.result[((b.checks >> 6) & 3) + 1] AS proposer,
           code.result[((b.checks >> 8) & 3) + 1] AS data) checked
  JOIN node n ON n.node_key = b.node_key
  JOIN lineage l ON l.lineage_key = b.lineage_key
  JOIN proposer p ON p.proposer_key = b.proposer_key;

-- What events state, and holes that are open still: a list that is out of sight. Those have ids of their own.
CREATE VIEW reporting.losses AS
SELECT l.loss_position AS id, n.id AS node, n.chain_id AS chain, l.kind, l.after_sequence, l.min_lost, l.max_lost, l.likely_lost,
       l.from_at, l.to_at, l.to_at AS "time", l.from_at AS "from", l.to_at AS "to",
       reporting.explain_loss(n.id, l.kind, l.after_sequence, l.min_lost, l.max_lost, l.likely_lost, l.from_at, l.to_at) AS explanation,
       (SELECT c.at FROM record_change c WHERE c.change >= l.change ORDER BY c.change LIMIT 1) AS updated_at, l.to_position IS NOT NULL AS withdrawn, false AS open
  FROM loss l JOIN node n ON n.node_key = l.node_key WHERE l.to_position IS NULL
 UNION ALL
SELECT CASE WHEN c.until_at IS NULL THEN 6917529027641081856 ELSE 4611686018427387904 END + (n.node_key::bigint << 30) + c.number,
       n.id, n.chain_id, 'RESET', c.after_sequence, 0, NULL, NULL, c.to_at, h.to_at, h.to_at, c.to_at, h.to_at,
       CASE WHEN c.until_at IS NULL THEN reporting.explain_open_loss(n.id, c.after_sequence, c.to_at, h.to_at)
            ELSE reporting.explain_loss(n.id, 'RESET', c.after_sequence, 0, NULL, NULL, c.to_at, h.to_at) END,
       NULL, false, c.until_at IS NULL
  FROM coverage_interval c JOIN coverage_fold f ON f.node = c.node JOIN node n ON n.id = c.node
 CROSS JOIN LATERAL (SELECT coalesce(c.until_at, f.looked_at) AS to_at) h
 WHERE c.unstated AND c.kind = 'LIST' AND coalesce(c.until_at, f.looked_at - interval '5 seconds') > c.to_at;

CREATE VIEW reporting.events AS
SELECT position, stream, version, type, observed_at, recorded_at,
       -- Addresses of nodes can hold a password, which older logs have whole.
       CASE WHEN type IN ('NodeRegistered', 'NodeSettingsChanged')
            THEN regexp_replace(body::text, '"[A-Za-z][A-Za-z0-9+.-]*://(?:[^"\\]|\\.)*"', '"(an address)"', 'g')::json ELSE body END AS body,
       encode(hash, 'hex') AS hash, schema, observed_at AS time
  FROM event;

-- Statistics, cost and blocks by hour, day and month, which is added up of its days. Each attempt counts once: a chain's figures are
-- its own, not the sum of what its nodes showed; those stand in views of their own, whose names begin with node_. Blocks have no
-- namespace, kind or status, and so no place in rows that are told apart by these.
DO $do$
DECLARE
  of record;
  -- What stands in the rows of both, before and behind their own columns.
  given CONSTANT text := $$s.bucket_at AS time, o.id AS node, nullif(s.chain, '') AS chain, ns.namespace,
      coalesce(('{HEADER,DATA,MIXED,UNKNOWN}'::text[])[s.kind + 1], 'UNKNOWN') AS kind,
      coalesce(('{SUCCESS,NOT_FOUND,NOT_INCLUDED_IN_BLOCK,ALREADY_IN_MEMPOOL,TOO_BIG,CONTEXT_DEADLINE,ERROR,INCORRECT_ACCOUNT_SEQUENCE,CONTEXT_CANCELED,HEIGHT_FROM_FUTURE,OTHER}'::text[])[s.status + 1], 'OTHER') AS status$$;
  decided CONSTANT text := $$NOT EXISTS (SELECT FROM decision_turn m WHERE m.chain = s.chain) AS decided$$;
  -- The zone of a bucket's chain, the day that its clocks show when it begins, and the month of that.
  clocks CONSTANT text := $$CROSS JOIN LATERAL (
        SELECT coalesce((SELECT c.reporting_time_zone FROM chain_setting c WHERE c.chain = s.chain), 'UTC') AS zone) z
      CROSS JOIN LATERAL (SELECT reporting.clock_at(s.bucket_at, z.zone)::date AS day) d
      CROSS JOIN LATERAL (SELECT date_trunc('month', d.day::timestamp)::date AS month) m$$;
  rows_of CONSTANT text := $$ s
      LEFT JOIN node o ON o.node_key = s.node_key
      LEFT JOIN namespace ns ON ns.namespace_key = s.namespace_key $$ || clocks;
  -- Of the distributions only the greatest value is told.
  month_rows CONSTANT text := $$(SELECT reporting.moment_of(m.month, z.zone) AS bucket_at, s.grain, s.node_key, s.chain, s.namespace_key, s.kind, s.status,
      $$ || (SELECT string_agg(format('sum(s.%1$I)::%2$s AS %1$I', name, type), ', ')
               FROM (SELECT 'bigint' AS type, unnest('{attempts,reconstructed,undecided,landed,unreferenced,unreadable,blob_count,measured_blobs,gas_price_count,costed,gas_unknown,imported,recorded,priced,fee_unknown,failed,failed_unknown,lag_count,submission_count}'::text[]) AS name
                      UNION ALL SELECT 'numeric', unnest('{size_bytes,measured_bytes,shares_min,shares_max,reconstructed_shares,gas_price_sum,gas_min,gas_max,fee_min,fee_max,wasted_fee_min,wasted_fee_max,failed_fee_max,lag_sum_ns,submission_sum_us}'::text[])) sums)
      || (SELECT string_agg(format(', (array_agg(s.%1$I ORDER BY reporting.largest_of(s.%1$I) DESC NULLS LAST))[1] AS %1$I', name), '')
            FROM unnest('{lag_ms,submission_ms,blob_bytes}'::text[]) AS name)
      || $$, min(s.gas_price_min) AS gas_price_min, max(s.gas_price_max) AS gas_price_max,
      (array_agg(s.gas_price_last ORDER BY s.gas_price_last_at DESC NULLS LAST, s.gas_price_last DESC))[1] AS gas_price_last,
      reporting.add_up(array_agg(s.fiat)) AS fiat
      FROM statistic s $$ || clocks || $$ WHERE s.grain = 2
     GROUP BY reporting.moment_of(m.month, z.zone), s.grain, s.node_key, s.chain, s.namespace_key, s.kind, s.status)$$;
  coverage text;
  -- When the chain began, as src/statistics/read/watch/chain-begins.query.ts has it: before that there was nothing to watch.
  begins CONSTANT text := $$(SELECT CASE WHEN f.at IS NOT NULL THEN least(f.at,
                  (SELECT min(c.from_at) FROM node n JOIN coverage_interval c ON c.node = n.id AND c.number = 0
                    WHERE n.chain_id = coalesce(o.chain_id, s.chain)),
                  (SELECT CASE WHEN min(e.bucket_at) + interval '15 minutes' <= f.at THEN min(e.bucket_at) END FROM statistic e
                    WHERE e.node_key = 0 AND e.chain = coalesce(o.chain_id, s.chain) AND e.grain = 0)) END
                FROM (SELECT timestamptz 'epoch' + interval '1 microsecond' * floor(min(b.time_ns) / 1000.0)::double precision AS at
                        FROM lineage l CROSS JOIN node n JOIN block b ON b.node_key = n.node_key AND b.lineage_key = l.lineage_key AND b.height = 1
                       WHERE l.chain_id = coalesce(o.chain_id, s.chain) AND l.n = 1) f)$$;
BEGIN
  FOR of IN SELECT prefix, size.name, size.grain, size.bucket_start, size.bucket_end, size.days, size.words AS size,
                   CASE size.name WHEN 'monthly' THEN month_rows ELSE 'statistic' END AS rows,
                   CASE prefix WHEN '' THEN $$(s.node_key = 0 OR s.chain = '')$$ ELSE 's.node_key <> 0' END AS owner,
                   CASE prefix WHEN '' THEN 's.node_key = 0' ELSE 's.node_key <> 0' END AS block_owner,
                   CASE prefix WHEN '' THEN '(n.chain_id = s.chain OR n.node_key = s.node_key)' ELSE 'n.node_key = s.node_key' END AS member
              FROM unnest('{"",node_}'::text[]) AS prefix CROSS JOIN (VALUES
                ('hourly', 1, 's.bucket_at', $$s.bucket_at + interval '1 hour'$$, '', 'by hour of UTC'),
                ('daily', 2, 's.bucket_at', 'reporting.moment_of(d.day + 1, z.zone)', ', d.day, m.month',
                 'by day of the chain''s reporting zone'),
                ('monthly', 2, 'reporting.moment_of(m.month, z.zone)', $$reporting.moment_of(m.month + interval '1 month', z.zone)$$, ', m.month',
                 'by month of the chain''s reporting zone')
              ) AS size (name, grain, bucket_start, bucket_end, days, words)
  LOOP
    -- By list, of what is past of the bucket: a chain is covered where every node of it that counts is.
    coverage := format($$coalesce((SELECT sum(extract(epoch FROM upper(part) - lower(part)))
                FROM (SELECT unnest((range_agg(r.good) - range_agg(r.bad)) * tstzmultirange(tstzrange(s.bucket_at, greatest(least(%1$s, now()), s.bucket_at)))) AS part
                        FROM (SELECT coalesce(range_agg(tstzrange(c.from_at, c.to_at)) FILTER (WHERE c.kind = 'LIST'), '{}') AS good,
                                     range_agg(tstzrange(c.to_at, c.until_at)) - range_agg(tstzrange(c.from_at, c.to_at)) AS bad
                                FROM node n JOIN coverage_interval c ON c.node = n.id
                               WHERE %2$s AND c.from_at < least(%1$s, now()) AND (c.until_at IS NULL OR c.until_at > s.bucket_at)
                               GROUP BY c.ring) r) covered)
             / nullif(greatest(extract(epoch FROM least(%1$s, now()) - greatest(s.bucket_at, %3$s)), 0), 0), 0)::double precision AS coverage$$,
      of.bucket_end, of.member, begins);

    EXECUTE format($$CREATE VIEW reporting.%I AS SELECT %s,
      s.attempts, CASE s.status WHEN 0 THEN s.attempts ELSE 0 END AS successes,
      CASE s.status WHEN 0 THEN 0 ELSE s.attempts END AS failures, s.reconstructed, s.landed, s.unreferenced, s.unreadable,
      s.blob_count, s.size_bytes, s.measured_blobs, s.measured_bytes,
      s.measured_bytes::double precision / nullif(s.measured_blobs, 0) AS average_blob_bytes,
      CASE WHEN s.costed = 0 OR s.costed > s.gas_unknown THEN s.shares_min END AS shares_min,
      CASE WHEN s.gas_unknown = 0 THEN s.shares_max END AS shares_max, s.reconstructed_shares,
      s.gas_price_min AS gas_price_min_utia, s.gas_price_sum / nullif(s.gas_price_count, 0) AS gas_price_mean_utia,
      s.gas_price_max AS gas_price_max_utia, s.gas_price_last AS gas_price_last_utia, %s,
      CASE WHEN s.attempts > 0 THEN (CASE s.status WHEN 0 THEN 1 ELSE 0 END)::double precision END AS success_rate, %s,
      nullif(s.lag_count, 0) AS inclusion_lag_ms_count, CASE WHEN s.lag_count > 0 THEN s.lag_sum_ns / 1000000 END AS inclusion_lag_ms_sum,
      reporting.largest_of(s.lag_ms) AS inclusion_lag_ms_max, nullif(s.submission_count, 0) AS submission_time_ms_count,
      CASE WHEN s.submission_count > 0 THEN s.submission_sum_us / 1000 END AS submission_time_ms_sum,
      reporting.largest_of(s.submission_ms) AS submission_time_ms_max, reporting.largest_of(s.blob_bytes) AS blob_bytes_max, s.undecided%s
      FROM %s %s WHERE s.grain = %s AND %s$$,
      of.prefix || 'statistics_' || of.name, given, coverage, decided, of.days, of.rows, rows_of, of.grain, of.owner);

    EXECUTE format($$CREATE VIEW reporting.%I AS SELECT %s,
      s.costed AS submissions, s.landed, s.size_bytes, s.unreadable,
      CASE WHEN s.costed > s.gas_unknown THEN s.gas_min END AS gas_min,
      CASE WHEN s.costed > 0 AND s.gas_unknown = 0 THEN s.gas_max END AS gas_max, s.gas_unknown,
      CASE WHEN s.costed > s.fee_unknown THEN s.fee_min END AS fee_min_utia,
      CASE WHEN s.costed > 0 AND s.fee_unknown = 0 THEN s.fee_max END AS fee_max_utia,
      CASE WHEN s.costed > s.fee_unknown THEN s.fee_max END AS known_fee_max_utia, s.fee_unknown,
      CASE WHEN s.costed > 0 THEN (SELECT (min(m.value ->> 'min'))::numeric FROM jsonb_each(s.fiat) m HAVING count(*) = 1)
       END AS fiat_min,
      CASE WHEN s.costed > 0 THEN (SELECT (min(m.value ->> 'max'))::numeric FROM jsonb_each(s.fiat) m
       HAVING count(*) = 1 AND min((m.value ->> 'count')::bigint) = s.costed) END AS fiat_max,
      (SELECT min(m.key) FROM jsonb_each(s.fiat) m HAVING count(*) = 1) AS fiat_unit,
      s.failed AS failed_attempts, CASE WHEN s.failed_unknown = 0 THEN s.failed_fee_max END AS failed_fee_max_utia,
      s.unreferenced,
      CASE WHEN s.costed > 0 AND (s.unreferenced = 0 OR s.wasted_fee_min > 0 OR s.fee_unknown = 0) THEN s.wasted_fee_min END AS wasted_fee_min_utia,
      CASE WHEN s.costed > 0 AND (s.unreferenced = 0 OR s.fee_unknown = 0) THEN s.wasted_fee_max END AS wasted_fee_max_utia,
      coalesce(s.imported::double precision / nullif(s.costed, 0), 0) AS imported_share,
      coalesce(s.recorded::double precision / nullif(s.costed, 0), 0) AS recorded_share,
      coalesce(s.priced::double precision / nullif(s.costed, 0), 0) AS priced_share,
      coalesce(s.fee_unknown::double precision / nullif(s.costed, 0), 0) AS unknown_share, %s, %s%s
      FROM %s %s WHERE s.grain = %s AND %s$$,
      of.prefix || 'cost_' || of.name, given, coverage, decided, of.days, of.rows, rows_of, of.grain, of.owner);

    EXECUTE format($$CREATE VIEW reporting.%2$I AS
      SELECT %1$s AS time, o.id AS node, s.chain, sum(s.produced)::bigint AS blocks_produced, sum(s.included)::bigint AS blocks_included,
             sum(s.transactions)::bigint AS transactions, sum(s.included_transactions)::bigint AS transactions_included,
             sum(s.tx_bytes) AS transaction_bytes, sum(s.included_tx_bytes) AS transaction_bytes_included, %3$s%4$s
        FROM block_statistic s LEFT JOIN node o ON o.node_key = s.node_key %5$s
       WHERE s.grain = %6$s AND %7$s GROUP BY %1$s, o.id, s.chain%4$s HAVING sum(s.produced) > 0$$,
      of.bucket_start, of.prefix || 'block_statistics_' || of.name, decided, of.days, clocks, of.grain, of.block_owner);

    EXECUTE format('COMMENT ON VIEW reporting.%I IS %L', of.prefix || 'statistics_' || of.name,
      CASE of.prefix WHEN '' THEN 'Submissions of each chain, each attempt once, ' ELSE 'What each node showed, ' END
      || of.size || '. GraphQL has more: distributions, blocks, losses, longer buckets.'
      || CASE of.prefix WHEN '' THEN '' ELSE ' Several nodes may have shown the same attempt: these rows are not to be added up over nodes.' END);
    EXECUTE format('COMMENT ON VIEW reporting.%I IS %L', of.prefix || 'cost_' || of.name,
      CASE of.prefix WHEN '' THEN 'Cost of each chain ' ELSE 'What each node showed, ' END
      || of.size || ': what costReport tells of the same ' || CASE of.name WHEN 'hourly' THEN 'hours.' WHEN 'daily' THEN 'days.' ELSE 'months.' END
      || CASE of.prefix WHEN '' THEN '' ELSE ' Several nodes may have shown the same attempt: these rows are not to be added up over nodes.' END);
    EXECUTE format('COMMENT ON VIEW reporting.%I IS %L', of.prefix || 'block_statistics_' || of.name,
      CASE of.prefix WHEN '' THEN 'Blocks of each chain, each once, ' ELSE 'Blocks that each node showed, ' END || of.size || ', by their own time.'
      || CASE of.prefix WHEN '' THEN '' ELSE ' Several nodes show the same ones: these rows are not to be added up over nodes.' END
      || ' Where a bucket has no row, no block of it is recorded: GraphQL tells whether there was none.');
  END LOOP;
END $do$;

COMMENT ON VIEW reporting.health_intervals IS 'Each node''s health as two unbroken lines of intervals, as it is known now.';
COMMENT ON VIEW reporting.nodes IS 'Each node that was ever watched, and how it is now.';
COMMENT ON VIEW reporting.chains IS 'Each chain, and how far it is. Heights are of the nodes on the newest history that any of them is on.';
COMMENT ON VIEW reporting.submissions IS 'Each attempt to post a batch, as it is known now: those of lists, and those that only blocks prove. What the node sent (raw), and the ids of the blobs, stand in the events.';
COMMENT ON VIEW reporting.blocks IS 'Each block header that a node showed, and what was checked of it. Bound it by node, lineage and height, for which there is an index.';
COMMENT ON VIEW reporting.losses IS 'Holes in what was seen of the lists, as they are known now. GraphQL explains each in a sentence.';
COMMENT ON VIEW reporting.events IS 'The log: everything that was ever observed. Read on from a position; addresses of nodes are left out.';

-- What columns are. An empty view: in all of them that have no line of their own for it. Views by hour, day and month, of chains and of nodes, share theirs.
DO $do$
DECLARE
  of record;
BEGIN
  FOR of IN SELECT c.relname AS view, a.attname AS name, told.text
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    CROSS JOIN LATERAL (SELECT text FROM (VALUES
    ('', 'inclusion_frontier', 'The height up to which every recorded block is included, header and data; null while none is known to be.'),
    ('', 'pending', 'Blocks produced and not yet included; null where either height is not known.'),
    ('', 'kind', 'What the batch holds: HEADER, DATA, MIXED or UNKNOWN.'),
    ('', 'updated_at', 'When what is known of it last changed, by the clock of the database; more than 34 days ago exact to the hour of UTC, and never too early.'),
    ('', 'withdrawn', 'It was proven once and is no more: false here, as the views have what stands.'),
    ('', 'chain', 'What that node says its chain is.'),
    ('', 'from', 'As from_at, under the name that GraphQL has.'),
    ('', 'to', 'As to_at, under the name that GraphQL has.'),
    ('', 'time', 'Start of the bucket. Days and months of a zone begin at other hours of UTC: to group by them, take day or month.'),
    ('', 'day', 'The day, by the clocks of the chain''s reporting zone.'),
    ('', 'month', 'First day of the month, by the clocks of the chain''s reporting zone.'),
    ('', 'node', 'The node. In views of chains it names one that has not said its chain, and is null else.'),
    ('', 'namespace', '58 hex digits, lower case, or other: those of a node beyond its first 100; null where none is named.'),
    ('', 'status', 'How the attempts ended; of reconstructed and undecided ones SUCCESS.'),
    ('', 'landed', 'Failures whose blobs blocks show all the same: in volume and cost.'),
    ('', 'unreferenced', 'Successes that no block points to: paid for nothing.'),
    ('', 'unreadable', 'Submissions whose blobs or bytes are not known: they are missing in the sums.'),
    ('', 'size_bytes', 'Bytes posted, where known.'),
    ('', 'coverage', 'Share of the time of the bucket, as far as it is past and the chain was there, in which no attempt can have been missed: 0 to 1.'),
    ('', 'decided', 'False while an event is decided in pages that touches very much of the chain: the figures may be of a part of it.'),
    ('nodes', 'id', 'The id from the settings.'),
    ('nodes', 'url', 'Scheme, host and port of its RPC server.'),
    ('nodes', 'chain', 'Null until it has said its chain.'),
    ('nodes', 'aggregator', 'Whether it submits to the DA layer; null while unknown.'),
    ('nodes', 'shape', 'Which form it gives its answers: SPEC or EV_NODE.'),
    ('nodes', 'service_prefix', 'Prefix of its store service, such as evnode.v1.'),
    ('nodes', 'head', 'Newest height.'),
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
    ('nodes', 'da_from', 'As da_from_at, under the name that GraphQL has.'),
    ('nodes', 'node_from', 'As node_from_at, under the name that GraphQL has.'),
    ('chains', 'id', 'Its chain_id.'),
    ('chains', 'reporting_time_zone', 'Zone of its days.'),
    ('chains', 'da_layer', 'Name of its DA layer, where the settings say it.'),
    ('chains', 'lineage_count', 'Histories that it is known to have had; a proven difference opens the next.'),
    ('chains', 'node_count', 'Nodes that say they are of it.'),
    ('chains', 'aggregator_count', 'Of them, those that submit to the DA layer.'),
    ('chains', 'head', 'Newest height of the nodes on its newest history.'),
    ('chains', 'undecided_since', 'Time of an event that touches so much that it is decided in pages: until then evidence, kinds and losses may change by it. Null: all is decided.'),
    ('chains', 'undecided_steps', 'Steps that are left of it; 0 for none.'),
    ('chains', 'nodes', 'Ids of the nodes that name it or have shown blocks of it; those that are no longer watched, too.'),
    ('chains', 'lineages', 'Its histories as chain/n, the first one first.'),
    ('chains', 'aggregators', 'Ids of the nodes of it that submit to the DA layer.'),
    ('submissions', 'id', 'As in GraphQL: stable, never used again.'),
    ('submissions', 'time', 'The time it counts under: occurred_at, or observed_at where that is missing or cannot be true.'),
    ('submissions', 'chain', 'Null until the node has said its chain.'),
    ('submissions', 'node', 'Null for RECONSTRUCTED and UNDECIDED: those belong to the chain.'),
    ('submissions', 'sequence', '1, 2, 3 ... per node, in the order of entering its list; null for RECONSTRUCTED and UNDECIDED.'),
    ('submissions', 'ring', 'How often, at least, the list had been emptied before.'),
    ('submissions', 'status', 'How the attempt ended.'),
    ('submissions', 'status_text', 'The status as sent, where it is OTHER.'),
    ('submissions', 'message', 'The message of the node; of a long one the first 4,000 characters.'),
    ('submissions', 'namespace', '58 hex digits, lower case; null where none is named.'),
    ('submissions', 'da_height', 'Height of the DA layer; null where there is none.'),
    ('submissions', 'blob_count', 'Blobs of the batch; null where it cannot be read.'),
    ('submissions', 'size_bytes', 'Bytes of all blobs; null where the node does not know.'),
    ('submissions', 'gas_price_utia', 'utia per gas, as the node reported it; null where it did not.'),
    ('submissions', 'occurred_at', 'By the clock of the node; null for the zero time.'),
    ('submissions', 'observed_at', 'The look that showed it, by our clock.'),
    ('submissions', 'evidence', 'What the blocks say: OBSERVED, CONFIRMED, UNCONFIRMED, UNREFERENCED, RECONSTRUCTED or UNDECIDED.'),
    ('submissions', 'block_from', 'Height of the first block it carried, where known.'),
    ('submissions', 'block_to', 'Height of the last one.'),
    ('submissions', 'possible_attempts', 'Of UNDECIDED: how many failed attempts may have posted these blobs; else null.'),
    ('submissions', 'counts_for_chain', 'Whether its chain counts it. False: another node had shown the same attempt before, as a row that is equal in every field.'),
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
    ('blocks', 'checks_link', 'As check_link, under the name that GraphQL has.'),
    ('blocks', 'checks_hash', 'As check_hash, under the name that GraphQL has.'),
    ('blocks', 'checks_signature', 'As check_signature, under the name that GraphQL has.'),
    ('blocks', 'checks_proposer', 'As check_proposer, under the name that GraphQL has.'),
    ('blocks', 'checks_data', 'As check_data, under the name that GraphQL has.'),
    ('losses', 'id', 'As in GraphQL.'),
    ('losses', 'node', 'The node whose list it was.'),
    ('losses', 'kind', 'OVERFLOW, RESET, AMBIGUOUS or BEFORE_START.'),
    ('losses', 'after_sequence', 'The last recorded row before the hole; 0 for none.'),
    ('losses', 'min_lost', 'Rows that are proven to be missing; may rise when blocks show more.'),
    ('losses', 'max_lost', 'Rows that can be missing at most; null where nothing proves a bound.'),
    ('losses', 'likely_lost', 'An estimate from the rate around the hole.'),
    ('losses', 'from_at', 'The last look before the hole; null for BEFORE_START.'),
    ('losses', 'to_at', 'The look that found it.'),
    ('losses', 'time', 'As to_at, under the name that charts look for.'),
    ('losses', 'explanation', 'What happened, what is proven and what is a guess.'),
    ('losses', 'updated_at', 'When what is known of it last changed, by the clock of the database; more than 34 days ago exact to the hour of UTC, and never too early. Null for a hole that no event states.'),
    ('losses', 'open', 'The list is out of sight: the hole ends when it is seen again, when another list takes its place, or when the node is retired.'),
    ('health_intervals', 'node', 'Id of the node.'),
    ('health_intervals', 'component', 'DA: whether its data reaches the DA layer. NODE: whether it runs and moves on.'),
    ('health_intervals', 'from_at', 'Start, inclusive, by our clock.'),
    ('health_intervals', 'to_at', 'End, exclusive; null for the present one.'),
    ('health_intervals', 'state', 'HEALTHY, WARNING, CRITICAL or UNKNOWN.'),
    ('health_intervals', 'rule', 'The rule that decided.'),
    ('health_intervals', 'reason', 'Why, with numbers and thresholds.'),
    ('health_intervals', 'claim', 'What the node claimed in its own /da/health.'),
    ('health_intervals', 'claim_differs', 'Whether the claim contradicted us; null where there is nothing to compare.'),
    ('health_intervals', 'time', 'As from_at, under the name that charts look for.'),
    ('health_intervals', 'setting', 'The setting that decided, by its name in hindsight.yaml; null where none did.'),
    ('health_intervals', 'limit', 'What that setting came to: milliseconds, or attempts for failuresCount.'),
    ('events', 'position', 'Order of all events, without gaps.'),
    ('events', 'stream', '<node>/<subject>, or <chain>/chain.'),
    ('events', 'version', 'Order within the stream, from 1.'),
    ('events', 'type', 'What happened.'),
    ('events', 'observed_at', 'By the clock of the observer.'),
    ('events', 'recorded_at', 'By the clock of the database; never smaller than that of the position before.'),
    ('events', 'body', 'What was seen, as sent.'),
    ('events', 'hash', 'SHA-256 of the stream so far, hex; see hindsight verify.'),
    ('events', 'schema', 'Version of the form of the body of its type.'),
    ('events', 'time', 'As observed_at, under the name that charts look for.'),
    ('statistics', 'chain', 'Null for what nodes showed before they said their chain.'),
    ('statistics', 'attempts', 'Rows that lists showed.'),
    ('statistics', 'successes', 'Of attempts.'),
    ('statistics', 'failures', 'Of attempts.'),
    ('statistics', 'reconstructed', 'Successes that only blocks prove: in volume and cost, not in attempts.'),
    ('statistics', 'undecided', 'Groups of blobs that some of failures may have posted, and none certainly did: in volume and cost, not in attempts.'),
    ('statistics', 'blob_count', 'Blobs posted, where known.'),
    ('statistics', 'measured_blobs', 'Blobs of submissions of which blobs and bytes are known: to average over several rows.'),
    ('statistics', 'measured_bytes', 'Bytes of the same submissions.'),
    ('statistics', 'average_blob_bytes', 'Mean bytes of a blob.'),
    ('statistics', 'shares_min', 'Least shares on the DA layer of the submissions whose size is known.'),
    ('statistics', 'shares_max', 'Most shares; null where the size of one is not known.'),
    ('statistics', 'reconstructed_shares', 'Shares of the reconstructed ones, where known.'),
    ('statistics', 'gas_price_min_utia', 'Least gas price that an attempt reported, utia per gas.'),
    ('statistics', 'gas_price_mean_utia', 'Mean over the attempts that reported one.'),
    ('statistics', 'gas_price_max_utia', 'The highest of them.'),
    ('statistics', 'gas_price_last_utia', 'The latest of them.'),
    ('statistics', 'success_rate', 'Successes of attempts, 0 or 1 in a row of one status; null without attempts. Over several rows: sum(successes) / sum(attempts).'),
    ('statistics', 'inclusion_lag_ms_count', 'Blocks in inclusion_lag_ms_sum; null without any.'),
    ('statistics', 'inclusion_lag_ms_sum', 'Times from a block to the success that carried it, added up, in ms. The mean over several rows: sum(inclusion_lag_ms_sum) / sum(inclusion_lag_ms_count).'),
    ('statistics', 'inclusion_lag_ms_max', 'The longest of these times, in ms.'),
    ('statistics', 'submission_time_ms_count', 'Batches in submission_time_ms_sum: those that failed before they succeeded; null without any.'),
    ('statistics', 'submission_time_ms_sum', 'Times from the first attempt of a batch to its success, added up, in ms.'),
    ('statistics', 'submission_time_ms_max', 'The longest of these times, in ms.'),
    ('statistics', 'blob_bytes_max', 'Bytes of the largest blob; of a batch of which only the sum is known, the mean of its blobs.'),
    ('cost', 'chain', 'Null for what nodes showed before they said their chain.'),
    ('cost', 'submissions', 'Successes, reconstructed and undecided ones, and failures that landed.'),
    ('cost', 'gas_min', 'Gas at least; null where nothing of it is known, and in rows of failed attempts alone.'),
    ('cost', 'gas_max', 'Gas at most; null where that of one submission is not known. A sum over rows is a bound only where gas_unknown is 0 in all of them.'),
    ('cost', 'gas_unknown', 'Submissions whose gas has no bound.'),
    ('cost', 'fee_min_utia', 'At least this was paid, utia; null where nothing of it is known, and in rows of failed attempts alone. A null sum is unknown, unless the sum of submissions is 0.'),
    ('cost', 'fee_max_utia', 'At most this was paid, utia; null where one fee is not known. A sum over rows is a bound only where fee_unknown is 0 in all of them.'),
    ('cost', 'known_fee_max_utia', 'At most this was paid for the submissions whose fee is known.'),
    ('cost', 'fee_unknown', 'Submissions whose fee is not known.'),
    ('cost', 'fiat_min', 'The fees at the rates of their times, in fiat_unit; null without a rate, with several currencies, and in rows of failed attempts alone.'),
    ('cost', 'fiat_max', 'The same of the most; null where one submission is missing in it.'),
    ('cost', 'fiat_unit', 'Currency of the rates, such as EUR.'),
    ('cost', 'failed_attempts', 'Attempts that failed and did not land. Apart: never in the fees.'),
    ('cost', 'failed_fee_max_utia', 'What these cost at most, if they were charged; null where one has no bound.'),
    ('cost', 'wasted_fee_min_utia', 'What unreferenced ones took of the fee at least.'),
    ('cost', 'wasted_fee_max_utia', 'The same at most.'),
    ('cost', 'imported_share', 'Submissions whose fee was imported. The four shares add up to 1; without submissions all are 0.'),
    ('cost', 'recorded_share', 'Submissions priced by the gas price that the node reported.'),
    ('cost', 'priced_share', 'Submissions priced by the price book.'),
    ('cost', 'unknown_share', 'Submissions whose fee is not known.'),
    ('block_statistics', 'node', 'The node; null in views of chains.'),
    ('block_statistics', 'chain', 'The chain.'),
    ('block_statistics', 'blocks_produced', 'Blocks whose time lies in the bucket.'),
    ('block_statistics', 'blocks_included', 'Of these, those whose header and data are included by now.'),
    ('block_statistics', 'transactions', 'Transactions of these blocks.'),
    ('block_statistics', 'transactions_included', 'Transactions of those that are included by now.'),
    ('block_statistics', 'transaction_bytes', 'Bytes of these transactions.'),
    ('block_statistics', 'transaction_bytes_included', 'Bytes of the transactions of those that are included by now.')
    ) AS one (view, name, text)
     WHERE one.name = a.attname AND one.view IN (regexp_replace(c.relname, '^(?:node_)?(.*)_(?:hourly|daily|monthly)$', '\1'), '')
     ORDER BY one.view DESC LIMIT 1) told
   WHERE c.relnamespace = 'reporting'::regnamespace AND c.relkind = 'v'
  LOOP
    EXECUTE format('COMMENT ON COLUMN reporting.%I.%I IS %L', of.view, of.name, of.text);
  END LOOP;
END $do$;
