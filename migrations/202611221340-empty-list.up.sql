-- An empty list continues nothing: where it was out of sight, coverage must know that it was empty.
ALTER TABLE coverage_interval ADD COLUMN empty_list text;
COMMENT ON COLUMN coverage_interval.empty_list IS 'SEEN while the list was empty at the last look, INTERRUPTED once it could not be read since then; null while it holds rows.';
