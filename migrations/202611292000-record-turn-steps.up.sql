-- The state of a deferred decision is JSON that psql can read. Earlier releases, which may still record until the swap, write state.
ALTER TABLE decision_turn ALTER COLUMN state DROP NOT NULL;
COMMENT ON COLUMN decision_turn.step  IS 'What decisions go by that tables do not keep: see src/projections/record/decisions/step.ts. Integers of 64 bits are texts, maps are lists of pairs.';
COMMENT ON COLUMN decision_turn.state IS 'Of earlier releases, in Node''s format; nothing uses it.';
