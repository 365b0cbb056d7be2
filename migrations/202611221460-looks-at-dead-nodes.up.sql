-- A node that does not answer is seen no more, but its list is looked at all the same: it is down, and not unwatched.
DO $do$
BEGIN
  EXECUTE 'CREATE OR REPLACE VIEW reporting.health_intervals AS ' || replace(pg_get_viewdef('reporting.health_intervals'::regclass),
    'ELSE n.last_seen_at', 'ELSE GREATEST(n.last_seen_at, n.list_looked_at)');
EXCEPTION WHEN undefined_table OR undefined_column OR syntax_error OR invalid_table_definition THEN
  RAISE WARNING 'The view reporting.health_intervals is not ours any more and stays as it is: %', SQLERRM;
END $do$;
