DELETE FROM decision_turn WHERE coalesce(state, '') = '';
ALTER TABLE decision_turn ALTER COLUMN state SET NOT NULL;
COMMENT ON COLUMN decision_turn.step  IS 'Of release 0.1.0; nothing uses it.';
COMMENT ON COLUMN decision_turn.state IS 'What decisions go by that tables do not keep, in Node''s format: see src/projections/record/decisions/step.ts.';
