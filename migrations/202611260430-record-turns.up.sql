-- Turns go over DA heights alone: what an event tells of rows is told at once.
ALTER TABLE decision_turn ALTER COLUMN node_key DROP NOT NULL, ALTER COLUMN what DROP NOT NULL, ALTER COLUMN step DROP NOT NULL,
  ADD COLUMN state bytea NOT NULL DEFAULT '';
COMMENT ON COLUMN decision_turn.node_key    IS 'Of release 0.1.0; nothing uses it.';
COMMENT ON COLUMN decision_turn.what        IS 'Of release 0.1.0; nothing uses it.';
COMMENT ON COLUMN decision_turn.leaves      IS 'Of release 0.1.0; nothing uses it.';
COMMENT ON COLUMN decision_turn.step        IS 'Of release 0.1.0; nothing uses it.';
COMMENT ON COLUMN decision_turn.next_number IS 'The lowest DA height that is left.';
COMMENT ON COLUMN decision_turn.done        IS 'DA heights that are done.';
COMMENT ON COLUMN decision_turn.state       IS 'What decisions go by that tables do not keep, in Node''s format: see src/projections/record/decisions/step.ts.';
