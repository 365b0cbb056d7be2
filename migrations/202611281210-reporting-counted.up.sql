-- What is not counted yet is unknown: rows say so (`counted`), claim no coverage of that time, and have no upper bound. Columns keep their
-- names, order and meaning.

-- Facts that the log has and the read models lack. Late is what was recorded more than 10 s ago, or what is more than 1,000 events:
-- behind a service at work the end of the log is read within a second, and coverage claims nothing of that second.
CREATE VIEW reporting.unread AS
WITH behind AS (
  SELECT h.position AS log_position, coalesce(c.position, 0) AS read_position, c.moved_at
    FROM log_head h CROSS JOIN unnest('{record,coverage,prices}'::text[]) AS needed (name)
    LEFT JOIN projection_checkpoint c ON c.name = needed.name
   ORDER BY 2 LIMIT 1
), late AS (
  SELECT b.*, e.recorded_at AS since, least(e.observed_at, e.recorded_at) AS seen_at,
         e.position IS NOT NULL AND (b.read_position = 0 OR b.log_position - b.read_position > 1000
           OR least(e.recorded_at, e.observed_at + interval '10 minutes') < clock_timestamp() - interval '10 seconds') AS is_late
    FROM behind b
    LEFT JOIN LATERAL (SELECT position, recorded_at, observed_at FROM event
                        WHERE b.read_position < b.log_position AND position > b.read_position ORDER BY position LIMIT 1) e ON true
)
SELECT log_position, read_position, log_position - read_position AS events, since, is_late AS late,
       -- Read models that had been at the end of the log lack what came after. Others are catching up: what they lack can be of any time.
       CASE WHEN is_late AND read_position > 0 AND seen_at >= moved_at - interval '10 seconds' THEN seen_at - interval '1 minute'
            WHEN is_late THEN timestamptz 'epoch' END AS from_at,
       NOT is_late AND NOT EXISTS (SELECT FROM roll_up_mark) AS counted
  FROM late;
COMMENT ON VIEW reporting.unread IS 'One row: how far the tables of the record, of coverage and of prices have read the log. While late is true, lists and figures are of a part of what is recorded, and an empty list proves nothing.';
COMMENT ON COLUMN reporting.unread.log_position IS 'The last event of the log.';
COMMENT ON COLUMN reporting.unread.read_position IS 'The last event that all of them have read.';
COMMENT ON COLUMN reporting.unread.events IS 'Events between the two.';
COMMENT ON COLUMN reporting.unread.since IS 'When the first of these was recorded; null for none.';
COMMENT ON COLUMN reporting.unread.late IS 'Whether they are more than the tail that is read within seconds.';
COMMENT ON COLUMN reporting.unread.from_at IS 'Facts of this time and later are missing; 1970 for those of all times. Null: nothing is late.';
COMMENT ON COLUMN reporting.unread.counted IS 'Whether all that is read is in the views by hour, day and month. While it is false, a bucket of which nothing is counted yet has no row there.';

CREATE VIEW reporting.unnamed_lists AS
SELECT DISTINCT n.id AS node, c.chain_id AS chain, coalesce(l.seen_at, l.waits_at) AS from_at
  FROM node_list l JOIN node n USING (node_key) JOIN node_chain c USING (node_key)
 WHERE l.to_position IS NULL AND l.chain_id IS NULL AND NOT n.retired
   AND (n.list_state = 'AVAILABLE' OR n.list_looked_at <= n.list_state_at + interval '10 minutes');
COMMENT ON VIEW reporting.unnamed_lists IS 'The lists of submissions that nodes show now and whose process has named no chain: their rows are in no chain''s figures. A row for each chain that the node has named before, whose figures are not decided meanwhile. A list that has been out of sight for ten minutes is not waited for.';
COMMENT ON COLUMN reporting.unnamed_lists.node IS 'The node''s id.';
COMMENT ON COLUMN reporting.unnamed_lists.chain IS 'A chain that the list may be of.';
COMMENT ON COLUMN reporting.unnamed_lists.from_at IS 'Rows of this time and later may be missing from the figures of the chain, observer''s clock.';

-- Statistics, cost and blocks by hour, day and month, as they were, with what is counted of each bucket.
DO $do$
DECLARE
  of record;
  figures text;
  -- What stands in the rows of both, before and behind their own columns.
  given CONSTANT text := $$s.bucket_at AS time, o.id AS node, nullif(s.chain, '') AS chain, ns.namespace,
      coalesce(('{HEADER,DATA,MIXED,UNKNOWN}'::text[])[s.kind + 1], 'UNKNOWN') AS kind,
      coalesce(('{SUCCESS,NOT_FOUND,NOT_INCLUDED_IN_BLOCK,ALREADY_IN_MEMPOOL,TOO_BIG,CONTEXT_DEADLINE,ERROR,INCORRECT_ACCOUNT_SEQUENCE,CONTEXT_CANCELED,HEIGHT_FROM_FUTURE,OTHER}'::text[])[s.status + 1], 'OTHER') AS status$$;
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
  -- Time of the bucket of which something is recorded and not in the sums, in seconds. A quarter hour waits where it has a mark.
  pending text;
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
    pending := format($$CROSS JOIN LATERAL (SELECT least(u.from_at, (SELECT min(l.from_at) FROM reporting.unnamed_lists l WHERE l.chain = s.chain)) AS from_at
        FROM reporting.unread u) late
      CROSS JOIN LATERAL (SELECT count(DISTINCT w.quarter_at) AS quarters FROM roll_up_mark w
        WHERE w.node_key = s.node_key AND w.chain = CASE s.node_key WHEN 0 THEN s.chain ELSE '' END
          AND w.quarter_at >= %1$s AND w.quarter_at < %2$s) mark
      CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM decision_turn t WHERE t.chain = s.chain) AS are_left) turns
      CROSS JOIN LATERAL (SELECT NOT turns.are_left AND coalesce(late.from_at >= %2$s, true) AS decided,
        CASE WHEN turns.are_left THEN numeric 'infinity' ELSE mark.quarters * 900
          + CASE WHEN late.from_at < %2$s THEN greatest(extract(epoch FROM least(%2$s, now()) - greatest(%1$s, late.from_at)), 0) ELSE 0 END END AS seconds) lack
      CROSS JOIN LATERAL (SELECT lack.decided AND mark.quarters = 0 AS counted) pending$$, of.bucket_start, of.bucket_end);
    -- By list, of what is past of the bucket: a chain is covered where every node of it that counts is.
    coverage := format($$coalesce(greatest((SELECT sum(extract(epoch FROM upper(part) - lower(part)))
                FROM (SELECT unnest((range_agg(r.good) - range_agg(r.bad)) * tstzmultirange(tstzrange(s.bucket_at, greatest(least(%1$s, now()), s.bucket_at)))) AS part
                        FROM (SELECT coalesce(range_agg(tstzrange(c.from_at, c.to_at)) FILTER (WHERE c.kind = 'LIST'), '{}') AS good,
                                     range_agg(tstzrange(c.to_at, c.until_at)) - range_agg(tstzrange(c.from_at, c.to_at)) AS bad
                                FROM node n JOIN coverage_interval c ON c.node = n.id
                               WHERE %2$s AND c.from_at < least(%1$s, now()) AND (c.until_at IS NULL OR c.until_at > s.bucket_at)
                               GROUP BY c.ring) r) covered) - lack.seconds, 0)
             / nullif(greatest(extract(epoch FROM least(%1$s, now()) - greatest(s.bucket_at, %3$s)), 0), 0), 0)::double precision AS coverage$$,
      of.bucket_end, of.member, begins);

    EXECUTE format($$CREATE OR REPLACE VIEW reporting.%I AS SELECT %s,
      s.attempts, CASE s.status WHEN 0 THEN s.attempts ELSE 0 END AS successes,
      CASE s.status WHEN 0 THEN 0 ELSE s.attempts END AS failures, s.reconstructed, s.landed, s.unreferenced, s.unreadable,
      s.blob_count, s.size_bytes, s.measured_blobs, s.measured_bytes,
      s.measured_bytes::double precision / nullif(s.measured_blobs, 0) AS average_blob_bytes,
      CASE WHEN s.costed = 0 OR s.costed > s.gas_unknown THEN s.shares_min END AS shares_min,
      CASE WHEN pending.counted AND s.gas_unknown = 0 THEN s.shares_max END AS shares_max, s.reconstructed_shares,
      s.gas_price_min AS gas_price_min_utia, s.gas_price_sum / nullif(s.gas_price_count, 0) AS gas_price_mean_utia,
      s.gas_price_max AS gas_price_max_utia, s.gas_price_last AS gas_price_last_utia, %s,
      CASE WHEN s.attempts > 0 THEN (CASE s.status WHEN 0 THEN 1 ELSE 0 END)::double precision END AS success_rate, lack.decided,
      nullif(s.lag_count, 0) AS inclusion_lag_ms_count, CASE WHEN s.lag_count > 0 THEN s.lag_sum_ns / 1000000 END AS inclusion_lag_ms_sum,
      reporting.largest_of(s.lag_ms) AS inclusion_lag_ms_max, nullif(s.submission_count, 0) AS submission_time_ms_count,
      CASE WHEN s.submission_count > 0 THEN s.submission_sum_us / 1000 END AS submission_time_ms_sum,
      reporting.largest_of(s.submission_ms) AS submission_time_ms_max, reporting.largest_of(s.blob_bytes) AS blob_bytes_max, s.undecided%s, pending.counted
      FROM %s %s %s WHERE s.grain = %s AND %s$$,
      of.prefix || 'statistics_' || of.name, given, coverage, of.days, of.rows, rows_of, pending, of.grain, of.owner);

    EXECUTE format($$CREATE OR REPLACE VIEW reporting.%I AS SELECT %s,
      s.costed AS submissions, s.landed, s.size_bytes, s.unreadable,
      CASE WHEN s.costed > s.gas_unknown THEN s.gas_min END AS gas_min,
      CASE WHEN pending.counted AND s.costed > 0 AND s.gas_unknown = 0 THEN s.gas_max END AS gas_max, s.gas_unknown,
      CASE WHEN s.costed > s.fee_unknown THEN s.fee_min END AS fee_min_utia,
      CASE WHEN pending.counted AND s.costed > 0 AND s.fee_unknown = 0 THEN s.fee_max END AS fee_max_utia,
      CASE WHEN pending.counted AND s.costed > s.fee_unknown THEN s.fee_max END AS known_fee_max_utia, s.fee_unknown,
      CASE WHEN s.costed > 0 THEN (SELECT (min(m.value ->> 'min'))::numeric FROM jsonb_each(s.fiat) m HAVING count(*) = 1)
       END AS fiat_min,
      CASE WHEN pending.counted AND s.costed > 0 THEN (SELECT (min(m.value ->> 'max'))::numeric FROM jsonb_each(s.fiat) m
       HAVING count(*) = 1 AND min((m.value ->> 'count')::bigint) = s.costed) END AS fiat_max,
      (SELECT min(m.key) FROM jsonb_each(s.fiat) m HAVING count(*) = 1) AS fiat_unit,
      s.failed AS failed_attempts, CASE WHEN pending.counted AND s.failed_unknown = 0 THEN s.failed_fee_max END AS failed_fee_max_utia,
      s.unreferenced,
      CASE WHEN s.costed > 0 AND (s.unreferenced = 0 OR s.wasted_fee_min > 0 OR s.fee_unknown = 0) THEN s.wasted_fee_min END AS wasted_fee_min_utia,
      CASE WHEN pending.counted AND s.costed > 0 AND (s.unreferenced = 0 OR s.fee_unknown = 0) THEN s.wasted_fee_max END AS wasted_fee_max_utia,
      coalesce(s.imported::double precision / nullif(s.costed, 0), 0) AS imported_share,
      coalesce(s.recorded::double precision / nullif(s.costed, 0), 0) AS recorded_share,
      coalesce(s.priced::double precision / nullif(s.costed, 0), 0) AS priced_share,
      coalesce(s.fee_unknown::double precision / nullif(s.costed, 0), 0) AS unknown_share, %s, lack.decided%s, pending.counted
      FROM %s %s %s WHERE s.grain = %s AND %s$$,
      of.prefix || 'cost_' || of.name, given, coverage, of.days, of.rows, rows_of, pending, of.grain, of.owner);

    EXECUTE format($$CREATE OR REPLACE VIEW reporting.%2$I AS
      SELECT %1$s AS time, o.id AS node, s.chain, sum(s.produced)::bigint AS blocks_produced, sum(s.included)::bigint AS blocks_included,
             sum(s.transactions)::bigint AS transactions, sum(s.included_transactions)::bigint AS transactions_included,
             sum(s.tx_bytes) AS transaction_bytes, sum(s.included_tx_bytes) AS transaction_bytes_included, bool_and(lack.decided) AS decided%3$s, bool_and(pending.counted) AS counted
        FROM block_statistic s LEFT JOIN node o ON o.node_key = s.node_key %4$s %5$s
       WHERE s.grain = %6$s AND %7$s GROUP BY %1$s, o.id, s.chain%3$s HAVING sum(s.produced) > 0$$,
      of.bucket_start, of.prefix || 'block_statistics_' || of.name, of.days, clocks, pending, of.grain, of.block_owner);

    FOREACH figures IN ARRAY '{statistics_,cost_,block_statistics_}'::text[] LOOP
      EXECUTE format('COMMENT ON COLUMN reporting.%I.counted IS %L', of.prefix || figures || of.name,
        'False while something that is recorded of the time of the bucket is not in its figures: they are what is counted so far, without upper bounds.');
      EXECUTE format('COMMENT ON COLUMN reporting.%I.decided IS %L', of.prefix || figures || of.name,
        'False while events of the bucket are not read, or their consequences not decided: figures may be of a part of it. See counted.');
    END LOOP;
  END LOOP;
END $do$;
