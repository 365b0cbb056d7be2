-- The columns stay, as others may read them; what the migration before this one takes away is null from here.
DO $do$
BEGIN
  EXECUTE 'CREATE OR REPLACE VIEW reporting.health_intervals AS ' || regexp_replace(pg_get_viewdef('reporting.health_intervals'::regclass),
    'i_1\.setting,\s+i_1\.limit_value,', 'NULL::text AS setting, NULL::double precision AS limit_value,');
EXCEPTION WHEN undefined_table OR undefined_column OR syntax_error OR invalid_table_definition THEN
  RAISE WARNING 'The view reporting.health_intervals is not ours any more and stays as it is: %', SQLERRM;
END $do$;
