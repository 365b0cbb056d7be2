-- What an event proves by itself, told apart from what blocks showed at the same event and may take back.
ALTER TABLE loss ADD COLUMN proven_min bigint, ADD COLUMN proven_max bigint;
COMMENT ON COLUMN loss.proven_min IS 'What the event that stated it proves by itself.';
COMMENT ON COLUMN loss.proven_max IS 'The same of the most; null where it proves none.';
