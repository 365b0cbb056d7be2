-- Days begin where a zone's clocks say so, and what they say comes with the program: which data it were stands beside the rules.
COMMENT ON COLUMN statistic_state.name IS 'tables: the read models they are computed from. version: of the rules by which. zones: of the time zone data by which.';
COMMENT ON COLUMN statistic_state.value IS 'Of tables their oids; of version a number; of zones the release that days were made by, such as 2026b.';
