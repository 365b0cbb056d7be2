DROP INDEX IF EXISTS submission_message_idx;
-- Messages of failed attempts by their parts, where the server knows trigrams. It leaves out successes, as they have none.
DO $$
DECLARE
  place text := (SELECT nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'pg_trgm');
BEGIN
  IF place IS NULL THEN RETURN; END IF;
  EXECUTE format('CREATE INDEX submission_message_idx ON submission USING gin (message %I.gin_trgm_ops)
                   WHERE status <> 0 AND message IS NOT NULL', place);
END $$;
-- The few successes that have a message all the same: whoever asks for all rows with a message must know of them. As a sum (0: a
-- success with a message), since of status and message by themselves the planner expects many.
CREATE INDEX submission_success_message_idx ON submission (from_position, sequence) WHERE status + (message IS NULL)::int = 0;
-- What was UNREFERENCED once.
CREATE INDEX submission_evidence_past_rare_idx ON submission_evidence_past (node_key, sequence) WHERE evidence = 3;
