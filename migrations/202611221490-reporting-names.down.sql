-- Columns stay, as others may read them and nothing reads a view by the number of its columns. What the migrations before this one
-- take away is null from here. The new views go, and with them what others built on them, which has nothing to show any more.
DROP VIEW IF EXISTS reporting.block_statistics_hourly, reporting.block_statistics_daily, reporting.node_block_statistics_hourly,
  reporting.node_block_statistics_daily CASCADE;
DO $do$
DECLARE
  of record;
BEGIN
  FOR of IN SELECT c.oid, c.relname AS view FROM pg_class c
             WHERE c.relnamespace = to_regnamespace('reporting') AND c.relname ~ '^(node_)?statistics_(hourly|daily)$' AND c.relkind = 'v'
  LOOP
    EXECUTE format('CREATE OR REPLACE VIEW reporting.%I AS %s', of.view, regexp_replace(pg_get_viewdef(of.oid),
      ',\s+NULLIF\(s\.lag_count.* AS blob_bytes_max\M', ', NULL::bigint AS inclusion_lag_ms_count, NULL::numeric AS inclusion_lag_ms_sum,
      NULL::double precision AS inclusion_lag_ms_max, NULL::bigint AS submission_time_ms_count, NULL::numeric AS submission_time_ms_sum,
      NULL::double precision AS submission_time_ms_max, NULL::double precision AS blob_bytes_max'));
  END LOOP;
END $do$;
DO $do$
BEGIN
  DROP FUNCTION IF EXISTS reporting.largest_of;
EXCEPTION WHEN dependent_objects_still_exist THEN
  RAISE NOTICE 'reporting.largest_of is used by others, and stays';
END $do$;
