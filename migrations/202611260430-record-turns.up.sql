-- Turns go over DA heights alone: what an event tells of rows is told at once. Those of the release before cannot be read any more, so
-- where some are left the record is taken for one of older rules, which a start rebuilds.
ALTER TABLE projection_checkpoint DISABLE TRIGGER projection_checkpoint_keeps_its_version;
UPDATE projection_checkpoint SET version = version - 1 WHERE name = 'record' AND EXISTS (SELECT FROM decision_turn);
ALTER TABLE projection_checkpoint ENABLE TRIGGER projection_checkpoint_keeps_its_version;
DELETE FROM decision_turn;
DROP INDEX decision_turn_leaves_idx;
ALTER TABLE decision_turn DROP COLUMN node_key, DROP COLUMN what, DROP COLUMN leaves, DROP COLUMN step, ADD COLUMN step bytea NOT NULL;
ALTER TABLE decision_turn RENAME COLUMN next_number TO next_da_height;
COMMENT ON COLUMN decision_turn.next_da_height IS 'The lowest DA height that is left.';
COMMENT ON COLUMN decision_turn.done           IS 'DA heights that are done.';
COMMENT ON COLUMN decision_turn.step           IS 'What decisions go by that tables do not keep, in Node''s format: see src/projections/record/decisions/step.ts.';
