DELETE FROM decision_turn WHERE what IS NULL;
ALTER TABLE decision_turn DROP COLUMN state, ALTER COLUMN node_key SET NOT NULL, ALTER COLUMN what SET NOT NULL,
  ALTER COLUMN step SET NOT NULL;
COMMENT ON COLUMN decision_turn.node_key    IS 'The node of the event.';
COMMENT ON COLUMN decision_turn.what        IS 'CELLS: DA heights; ROWS: rows of the node, whose kind, history or chain it told.';
COMMENT ON COLUMN decision_turn.leaves      IS 'The chain that rows are of until then, where the event tells another. It is worked off in this order with the other.';
COMMENT ON COLUMN decision_turn.next_number IS 'The lowest DA height, or sequence, that is left.';
COMMENT ON COLUMN decision_turn.done        IS 'DA heights, or rows, that are done.';
COMMENT ON COLUMN decision_turn.step        IS 'What decisions go by that tables do not keep: see src/projections/record/decisions/step.ts.';
