DELETE FROM statistic_state WHERE name = 'zones';
COMMENT ON COLUMN statistic_state.name IS 'tables: the read models they are computed from. version: of the rules by which.';
COMMENT ON COLUMN statistic_state.value IS 'Of tables their oids; of version a number.';
