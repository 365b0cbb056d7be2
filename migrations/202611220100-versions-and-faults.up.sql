-- Read models get a version, and events that they cannot take are set aside.
--
-- Two tables get new names, so that a process of the version before, which knows nothing of versions, can move no read
-- model and compute no statistics: it goes on recording, and says that it cannot project.
ALTER TABLE projection RENAME TO projection_checkpoint;
ALTER INDEX projection_pkey RENAME TO projection_checkpoint_pkey;
ALTER TABLE projection_checkpoint ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE projection_checkpoint ALTER COLUMN version DROP DEFAULT;
ALTER TABLE projection_checkpoint ADD COLUMN moved_at timestamptz NOT NULL DEFAULT clock_timestamp();
COMMENT ON COLUMN projection_checkpoint.moved_at IS 'When it moved on last, the database''s clock.';
COMMENT ON COLUMN projection_checkpoint.version IS 'Version of the rules by which its tables were made. A process with other rules may not write them.';

CREATE FUNCTION refuse_other_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The read model % is of version %, not %', OLD.name, OLD.version, NEW.version
    USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;
CREATE TRIGGER projection_checkpoint_keeps_its_version BEFORE UPDATE ON projection_checkpoint
  FOR EACH ROW WHEN (OLD.version IS DISTINCT FROM NEW.version) EXECUTE FUNCTION refuse_other_version();

-- What is computed of these tables has a version too. Where nothing is computed yet, the first roll-up writes its own.
INSERT INTO statistic_state (name, value) SELECT 'version', '1' FROM statistic_state WHERE name = 'tables';
COMMENT ON COLUMN statistic_state.name  IS 'tables: the read models they are computed from. version: of the rules by which.';
COMMENT ON COLUMN statistic_state.value IS 'Of tables their oids; of version a number.';

ALTER TABLE statistic_mark RENAME TO roll_up_mark;
ALTER INDEX statistic_mark_age_idx RENAME TO roll_up_mark_age_idx;
ALTER INDEX statistic_mark_subject_idx RENAME TO roll_up_mark_subject_idx;

CREATE TABLE projection_fault (
  projection text        NOT NULL,
  position   bigint      NOT NULL,
  version    integer     NOT NULL,
  stream     text        NOT NULL,
  type       text        NOT NULL,
  error      text        NOT NULL,
  since      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (projection, position)
);
COMMENT ON TABLE  projection_fault            IS 'Events that a projection could not take because of what is in them, and went on without.';
COMMENT ON COLUMN projection_fault.projection IS 'Name of the projection.';
COMMENT ON COLUMN projection_fault.position   IS 'Position of the event.';
COMMENT ON COLUMN projection_fault.version    IS 'Version of the projection''s rules that failed at it.';
COMMENT ON COLUMN projection_fault.stream     IS 'Stream of the event. A stream with ten faults is set aside whole.';
COMMENT ON COLUMN projection_fault.type       IS 'Type of the event.';
COMMENT ON COLUMN projection_fault.error      IS 'What the projection said of it.';
COMMENT ON COLUMN projection_fault.since      IS 'When it was set aside, the database''s clock.';
CREATE INDEX projection_fault_stream_idx ON projection_fault (projection, stream);

CREATE TABLE rebuild_failure (
  name      text        PRIMARY KEY,
  error     text        NOT NULL,
  since     timestamptz NOT NULL DEFAULT clock_timestamp(),
  tried_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE  rebuild_failure          IS 'Sets of read models that the service wants to rebuild and cannot.';
COMMENT ON COLUMN rebuild_failure.name     IS 'Name of the set.';
COMMENT ON COLUMN rebuild_failure.error    IS 'What the last try failed of, and what to do about it.';
COMMENT ON COLUMN rebuild_failure.since    IS 'The first try that failed, the database''s clock.';
COMMENT ON COLUMN rebuild_failure.tried_at IS 'The last one, the database''s clock.';

CREATE TABLE roll_up_fault (
  node_key integer     NOT NULL,
  chain    text        NOT NULL,
  error    text        NOT NULL,
  since    timestamptz NOT NULL DEFAULT clock_timestamp(),
  tried_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (node_key, chain)
);
COMMENT ON TABLE  roll_up_fault          IS 'Nodes and chains whose figures cannot be computed, set aside with their marks so that others go on.';
COMMENT ON COLUMN roll_up_fault.node_key IS 'As in roll_up_mark.';
COMMENT ON COLUMN roll_up_fault.chain    IS 'As in roll_up_mark.';
COMMENT ON COLUMN roll_up_fault.error    IS 'What the roll-up said of it.';
COMMENT ON COLUMN roll_up_fault.since    IS 'When it was first set aside, the database''s clock.';
COMMENT ON COLUMN roll_up_fault.tried_at IS 'When it was last tried, the database''s clock.';
