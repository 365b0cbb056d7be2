-- Messages of failed attempts by their parts. Successes have none, so the index is as small as there are failures.
DO $$
DECLARE
  place text := (SELECT nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'pg_trgm');
BEGIN
  IF place IS NULL THEN RETURN; END IF;
  EXECUTE format('CREATE INDEX submission_message_idx ON submission USING gin (message %I.gin_trgm_ops)
                   WHERE status <> 0 AND message IS NOT NULL', place);
END $$;
