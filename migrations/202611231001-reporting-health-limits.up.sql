-- The setting that decided, and what it came to. Columns come at the end, so nothing that reads the view notices.
DO $do$
DECLARE
  definition text := pg_get_viewdef('reporting.health_intervals'::regclass);
  wider text;
BEGIN
  -- Undone, the columns stay as null.
  wider := regexp_replace(definition, 'NULL::text AS setting,\s+NULL::double precision AS limit_value,(\s+COALESCE)', 'i_1.setting, i_1.limit_value,\1');
  IF wider = definition THEN
    wider := replace(wider, 'i_1.to_position,', 'i_1.to_position, i_1.setting, i_1.limit_value,');
    wider := replace(wider, 'interval_now.to_position,', 'interval_now.to_position, interval_now.setting, interval_now.limit_value,');
    wider := regexp_replace(wider, '(known\.claim_differs)(\s+FROM known)', '\1, known.setting, known.limit_value\2');
    wider := regexp_replace(wider, '(NULL::boolean AS claim_differs)(\s+FROM known)',
      '\1, ''notWatchedAfter''::text AS setting, known.after_ms::double precision AS limit_value\2');
    wider := replace(wider, ' AS chain', ' AS chain, setting, limit_value AS "limit"');
  END IF;
  EXECUTE 'CREATE OR REPLACE VIEW reporting.health_intervals AS ' || wider;
  COMMENT ON COLUMN reporting.health_intervals.setting IS 'The setting that decided, by its name in hindsight.yaml; null where none did.';
  COMMENT ON COLUMN reporting.health_intervals."limit" IS 'What that setting came to: milliseconds, or attempts for failuresCount.';
EXCEPTION WHEN undefined_table OR undefined_column OR duplicate_column OR ambiguous_column OR syntax_error OR invalid_table_definition THEN
  RAISE WARNING 'The view reporting.health_intervals is not ours any more and gets no new columns: %', SQLERRM;
END $do$;
