-- Lists are walked in their order, and messages have one index.
DROP INDEX submission_evidence_past_rare_idx;
DROP INDEX submission_success_message_idx;
DROP INDEX IF EXISTS submission_message_idx;
-- Messages by their parts, where the server knows trigrams.
DO $$
DECLARE
  place text := (SELECT nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'pg_trgm');
BEGIN
  IF place IS NULL THEN RETURN; END IF;
  EXECUTE format('CREATE INDEX submission_message_idx ON submission USING gin (message %I.gin_trgm_ops)
                   WHERE message IS NOT NULL', place);
END $$;
