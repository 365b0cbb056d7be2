-- Names of GraphQL that the views lacked, and what can be told of blocks by stored sums. Columns come at the end, so nothing that
-- reads a view notices.

CREATE OR REPLACE FUNCTION reporting.largest_of(sketch bytea) RETURNS double precision LANGUAGE plpgsql IMMUTABLE STRICT AS $$
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

DO $do$
DECLARE
  of record;
  definition text;
  begin_of_from CONSTANT text := E'\n   FROM ';
BEGIN
  FOR of IN SELECT * FROM (VALUES
      ('nodes', 'da_from', $$da.from_at AS da_from, own.from_at AS node_from$$),
      ('blocks', 'checks_link', $$code.result[(b.checks & 3) + 1] AS checks_link, code.result[((b.checks >> 2) & 3) + 1] AS checks_hash,
         code.result[((b.checks >> 4) & 3) + 1] AS checks_signature, code.result[((b.checks >> 6) & 3) + 1] AS checks_proposer,
         code.result[((b.checks >> 8) & 3) + 1] AS checks_data$$),
      ('health_intervals', 'chain', $$(SELECT n.chain_id FROM node n WHERE n.id = i.node) AS chain$$)
    ) AS more (view, first, columns)
    UNION ALL
    SELECT prefix || 'statistics_' || size, 'inclusion_lag_ms_count', $$nullif(s.lag_count, 0) AS inclusion_lag_ms_count,
         CASE WHEN s.lag_count > 0 THEN s.lag_sum_ns / 1000000 END AS inclusion_lag_ms_sum, reporting.largest_of(s.lag_ms) AS inclusion_lag_ms_max,
         nullif(s.submission_count, 0) AS submission_time_ms_count,
         CASE WHEN s.submission_count > 0 THEN s.submission_sum_us / 1000 END AS submission_time_ms_sum,
         reporting.largest_of(s.submission_ms) AS submission_time_ms_max, reporting.largest_of(s.blob_bytes) AS blob_bytes_max$$
      FROM unnest('{"",node_}'::text[]) AS prefix, unnest('{hourly,daily}'::text[]) AS size
  LOOP
    -- A view that somebody has dropped or made anew stays as it is.
    BEGIN
      definition := rtrim(pg_get_viewdef(('reporting.' || of.view)::regclass), ';');
      -- Undone, the columns stay as null.
      CONTINUE WHEN definition !~ (' NULL::\w+ AS ' || of.first || '\M') AND EXISTS (
        SELECT FROM pg_attribute WHERE attrelid = ('reporting.' || of.view)::regclass AND attname = of.first);
      definition := regexp_replace(definition, ',\s+NULL::\w+ AS ' || of.first || '\M.* AS blob_bytes_max\M', '');
      -- That of the view itself: those of what is nested in it stand further in.
      EXECUTE format('CREATE OR REPLACE VIEW reporting.%I AS %s', of.view, overlay(
        definition PLACING ', ' || of.columns || begin_of_from FROM strpos(definition, begin_of_from) FOR length(begin_of_from)));
    EXCEPTION WHEN undefined_table OR undefined_column OR duplicate_column OR ambiguous_column OR syntax_error OR invalid_table_definition THEN
      RAISE WARNING 'The view reporting.% is not ours any more and gets no new columns: %', of.view, SQLERRM;
    END;
  END LOOP;
END $do$;

-- The heights of a chain were those of all nodes that name it, the frontier of one history below the head of another one. They are
-- those of the nodes on its newest history, as GraphQL has them.
DO $do$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('reporting.chains') AND attname = 'undecided_steps') THEN
    RAISE WARNING 'The view reporting.chains is not ours any more and stays as it is.';
    RETURN;
  END IF;
  CREATE OR REPLACE VIEW reporting.chains AS
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
         (SELECT min(m.at) FROM record_mark m LEFT JOIN lineage l USING (lineage_key) LEFT JOIN node n ON n.node_key = m.node_key
           WHERE known.chain IN (coalesce(l.chain_id, n.chain_id), m.chain_id)) AS undecided_since,
         (SELECT count(*)::int FROM record_mark m LEFT JOIN lineage l USING (lineage_key) LEFT JOIN node n ON n.node_key = m.node_key
           WHERE known.chain IN (coalesce(l.chain_id, n.chain_id), m.chain_id)) AS undecided_steps,
         coalesce(o.nodes, '{}') AS nodes, coalesce(h.lineages, '{}') AS lineages, coalesce(o.aggregators, '{}') AS aggregators
    FROM known
    LEFT JOIN chain_setting s ON s.chain = known.chain
    LEFT JOIN heights t ON t.chain = known.chain
    LEFT JOIN of_chain o ON o.chain = known.chain
    LEFT JOIN history h ON h.chain = known.chain;
  COMMENT ON VIEW reporting.chains IS 'Each chain, and how far it is. Heights are of the nodes on the newest history that any of them is on.';
EXCEPTION WHEN invalid_table_definition THEN
  RAISE WARNING 'The view reporting.chains is not ours any more and stays as it is: %', SQLERRM;
END $do$;

-- Blocks by hour and day. They have no namespace, kind or status, and so no place in rows that are told apart by these.
DO $do$
DECLARE
  of record;
BEGIN
  FOR of IN SELECT * FROM (VALUES
      ('block_statistics_hourly', 1, 's.node_key = 0', 'Blocks of each chain, each once, by hour of UTC, by their own time.'),
      ('block_statistics_daily', 2, 's.node_key = 0', 'Blocks of each chain, each once, by day of the chain''s reporting zone, by their own time.'),
      ('node_block_statistics_hourly', 1, 's.node_key <> 0', 'Blocks that each node showed, by hour of UTC, by their own time. Several nodes show the same ones: these rows are not to be added up over nodes.'),
      ('node_block_statistics_daily', 2, 's.node_key <> 0', 'Blocks that each node showed, by day of the chain''s reporting zone, by their own time. Several nodes show the same ones: these rows are not to be added up over nodes.')
    ) AS view (name, grain, owner, about)
  LOOP
    CONTINUE WHEN to_regclass('reporting.' || of.name) IS NOT NULL;
    EXECUTE format($$CREATE VIEW reporting.%I AS
      SELECT s.bucket_at AS time, o.id AS node, s.chain, sum(s.produced)::bigint AS blocks_produced, sum(s.included)::bigint AS blocks_included,
             sum(s.transactions)::bigint AS transactions, sum(s.included_transactions)::bigint AS transactions_included,
             sum(s.tx_bytes) AS transaction_bytes, sum(s.included_tx_bytes) AS transaction_bytes_included,
             NOT EXISTS (
               SELECT FROM record_mark m LEFT JOIN lineage l USING (lineage_key) LEFT JOIN node n ON n.node_key = m.node_key
                WHERE s.chain IN (coalesce(l.chain_id, n.chain_id), m.chain_id)) AS decided
        FROM block_statistic s LEFT JOIN node o ON o.node_key = s.node_key
       WHERE s.grain = %s AND %s GROUP BY s.bucket_at, o.id, s.chain HAVING sum(s.produced) > 0$$, of.name, of.grain, of.owner);
    EXECUTE format('COMMENT ON VIEW reporting.%I IS %L', of.name,
      of.about || ' Where a bucket has no row, no block of it is recorded: GraphQL tells whether there was none.');
  END LOOP;

  FOR of IN SELECT c.relname AS view, a.attname AS name, told.text
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    JOIN (VALUES
      ('nodes', 'da_from', 'As da_from_at, under the name that GraphQL has.'),
      ('nodes', 'node_from', 'As node_from_at, under the name that GraphQL has.'),
      ('health_intervals', 'chain', 'What that node says its chain is.'),
      ('chains', 'head', 'Newest height of the nodes on its newest history.'),
      ('chains', 'nodes', 'Ids of the nodes that name it or have shown blocks of it; those that are no longer watched, too.'),
      ('chains', 'lineages', 'Its histories as chain/n, the first one first.'),
      ('chains', 'aggregators', 'Ids of the nodes of it that submit to the DA layer.'),
      ('blocks', 'checks_link', 'As check_link, under the name that GraphQL has.'),
      ('blocks', 'checks_hash', 'As check_hash, under the name that GraphQL has.'),
      ('blocks', 'checks_signature', 'As check_signature, under the name that GraphQL has.'),
      ('blocks', 'checks_proposer', 'As check_proposer, under the name that GraphQL has.'),
      ('blocks', 'checks_data', 'As check_data, under the name that GraphQL has.'),
      ('statistics', 'inclusion_lag_ms_count', 'Blocks in inclusion_lag_ms_sum; null without any.'),
      ('statistics', 'inclusion_lag_ms_sum', 'Times from a block to the success that carried it, added up, in ms. The mean over several rows: sum(inclusion_lag_ms_sum) / sum(inclusion_lag_ms_count).'),
      ('statistics', 'inclusion_lag_ms_max', 'The longest of these times, in ms.'),
      ('statistics', 'submission_time_ms_count', 'Batches in submission_time_ms_sum: those that failed before they succeeded; null without any.'),
      ('statistics', 'submission_time_ms_sum', 'Times from the first attempt of a batch to its success, added up, in ms.'),
      ('statistics', 'submission_time_ms_max', 'The longest of these times, in ms.'),
      ('statistics', 'blob_bytes_max', 'Bytes of the largest blob; of a batch of which only the sum is known, the mean of its blobs.'),
      ('block_statistics', 'time', 'Start of the bucket.'),
      ('block_statistics', 'node', 'The node; null in views of chains.'),
      ('block_statistics', 'chain', 'The chain.'),
      ('block_statistics', 'blocks_produced', 'Blocks whose time lies in the bucket.'),
      ('block_statistics', 'blocks_included', 'Of these, those whose header and data are included by now.'),
      ('block_statistics', 'transactions', 'Transactions of these blocks.'),
      ('block_statistics', 'transactions_included', 'Transactions of those that are included by now.'),
      ('block_statistics', 'transaction_bytes', 'Bytes of these transactions.'),
      ('block_statistics', 'transaction_bytes_included', 'Bytes of the transactions of those that are included by now.'),
      ('block_statistics', 'decided', 'False while an event is decided in pages that touches very much of the chain: the figures may be of a part of it.')
    ) AS told (view, name, text) ON told.name = a.attname AND told.view = regexp_replace(c.relname, '^(node_)?((?:block_)?statistics)_.*$', '\2')
   WHERE c.relnamespace = 'reporting'::regnamespace AND c.relkind = 'v'
  LOOP
    EXECUTE format('COMMENT ON COLUMN reporting.%I.%I IS %L', of.view, of.name, of.text);
  END LOOP;
END $do$;
