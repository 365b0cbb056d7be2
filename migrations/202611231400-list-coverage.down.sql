DROP TABLE coverage_fold;
DELETE FROM coverage_interval WHERE kind <> 'LIST';
DROP INDEX coverage_interval_time_idx;
ALTER TABLE coverage_interval
  ADD COLUMN available     boolean NOT NULL DEFAULT true,
  ADD COLUMN empty_list    text,
  ADD COLUMN ended_by      text,
  ADD COLUMN from_position bigint NOT NULL DEFAULT 0,
  ADD COLUMN to_position   bigint,
  ADD COLUMN axis          json;
UPDATE coverage_interval SET from_position = number, to_position = number;
ALTER TABLE coverage_interval
  DROP CONSTRAINT coverage_interval_pkey,
  ADD CONSTRAINT coverage_interval_pkey PRIMARY KEY (node, from_position),
  ALTER COLUMN available DROP DEFAULT,
  ALTER COLUMN from_position DROP DEFAULT,
  DROP COLUMN number,
  DROP COLUMN kind,
  DROP COLUMN list,
  DROP COLUMN ring,
  DROP COLUMN until_at,
  DROP COLUMN unstated,
  DROP COLUMN after_sequence;
COMMENT ON TABLE  coverage_interval               IS 'Times in which no row of a node''s ring can have been missed.';
COMMENT ON COLUMN coverage_interval.to_at         IS 'The last good look whose list continued the one before without a hole; grows until a loss ends it.';
COMMENT ON COLUMN coverage_interval.available     IS 'Whether the list could be read at the last look.';
COMMENT ON COLUMN coverage_interval.empty_list    IS 'SEEN while the list was empty at the last look, INTERRUPTED once it could not be read since then; null while it holds rows.';
COMMENT ON COLUMN coverage_interval.ended_by      IS 'Type of the event that ended it; null while it goes on.';
COMMENT ON COLUMN coverage_interval.from_position IS 'The event that began it.';
COMMENT ON COLUMN coverage_interval.to_position   IS 'The event that ended it; null while it goes on.';
COMMENT ON COLUMN coverage_interval.axis          IS 'TimeAxis of src/domain/time-axis.ts, on which the times lie; null before it was kept.';
CREATE INDEX coverage_interval_time_idx ON coverage_interval (node, to_at);
CREATE UNIQUE INDEX coverage_interval_open_key ON coverage_interval (node) WHERE to_position IS NULL;
