ALTER TABLE projection_checkpoint DISABLE TRIGGER projection_checkpoint_keeps_its_version;
UPDATE projection_checkpoint SET version = version - 1 WHERE name = 'record' AND EXISTS (SELECT FROM decision_turn);
ALTER TABLE projection_checkpoint ENABLE TRIGGER projection_checkpoint_keeps_its_version;
DELETE FROM decision_turn;
ALTER TABLE decision_turn RENAME COLUMN next_da_height TO next_number;
ALTER TABLE decision_turn ADD COLUMN node_key integer NOT NULL, ADD COLUMN what text NOT NULL, ADD COLUMN leaves text,
  DROP COLUMN step, ADD COLUMN step jsonb NOT NULL;
CREATE INDEX decision_turn_leaves_idx ON decision_turn (leaves, turn_key) WHERE leaves IS NOT NULL;
COMMENT ON COLUMN decision_turn.node_key    IS 'The node of the event.';
COMMENT ON COLUMN decision_turn.what        IS 'CELLS: DA heights; ROWS: rows of the node, whose kind, history or chain it told.';
COMMENT ON COLUMN decision_turn.leaves      IS 'The chain that rows are of until then, where the event tells another. It is worked off in this order with the other.';
COMMENT ON COLUMN decision_turn.next_number IS 'The lowest DA height, or sequence, that is left.';
COMMENT ON COLUMN decision_turn.done        IS 'DA heights, or rows, that are done.';
COMMENT ON COLUMN decision_turn.step        IS 'What decisions go by that tables do not keep: see src/projections/record/decisions/step.ts.';
