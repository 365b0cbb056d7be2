-- A column at the end can only be taken away with its view; views of others over these go, too.
DO $$
DECLARE
  of record;
BEGIN
  FOR of IN SELECT prefix || figures || size AS name FROM unnest('{"",node_}'::text[]) AS prefix,
                   unnest('{statistics_,cost_,block_statistics_}'::text[]) AS figures, unnest('{hourly,daily,monthly}'::text[]) AS size
  LOOP
    EXECUTE format('DROP VIEW reporting.%I CASCADE', of.name);
  END LOOP;
  DROP VIEW reporting.unread, reporting.unnamed_lists CASCADE;
END $$;

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
   WHERE c.relnamespace = 'reporting'::regnamespace AND c.relkind = 'v' AND c.relname ~ '_(?:hourly|daily|monthly)$'
  LOOP
    EXECUTE format('COMMENT ON COLUMN reporting.%I.%I IS %L', of.view, of.name, of.text);
  END LOOP;
END $do$;
