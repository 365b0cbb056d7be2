-- The event log: append-only, one row per observation.
CREATE TABLE event (
  position    bigint      NOT NULL,
  stream      text        NOT NULL,
  version     bigint      NOT NULL,
  type        text        NOT NULL,
  schema      smallint    NOT NULL,
  observed_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL,
  body        json        NOT NULL,
  hash        bytea       NOT NULL
) PARTITION BY RANGE (recorded_at);

COMMENT ON TABLE  event             IS 'Everything that was ever observed, in the order in which it was recorded. Rows are never changed or deleted.';
COMMENT ON COLUMN event.position    IS 'Global order without gaps; whoever has seen position p never meets a smaller one later.';
COMMENT ON COLUMN event.stream      IS '<node>/<subject>, or <chain>/chain.';
COMMENT ON COLUMN event.version     IS 'Gapless sequence within the stream, from 1.';
COMMENT ON COLUMN event.type        IS 'Event type, in the past tense.';
COMMENT ON COLUMN event.schema      IS 'Version of the type''s body; older ones are upcast on read.';
COMMENT ON COLUMN event.observed_at IS 'The observer''s clock.';
COMMENT ON COLUMN event.recorded_at IS 'The database''s clock, never smaller than that of the position before.';
COMMENT ON COLUMN event.body        IS 'What was seen, as sent.';
COMMENT ON COLUMN event.hash        IS 'SHA-256 over the stream''s previous hash and this event; see src/domain/hash-chain.ts.';

CREATE INDEX event_position_idx ON event (position);
CREATE INDEX event_stream_idx ON event (stream, version);

CREATE TABLE log_head (
  only_row    boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
  position    bigint      NOT NULL,
  recorded_at timestamptz NOT NULL
) WITH (fillfactor = 50);

COMMENT ON TABLE  log_head             IS 'The end of the log. Its row lock, held from numbering to commit, makes position order commit order.';
COMMENT ON COLUMN log_head.position    IS 'Position of the last event; 0 before the first.';
COMMENT ON COLUMN log_head.recorded_at IS 'recorded_at of the last event.';
INSERT INTO log_head (position, recorded_at) VALUES (0, '-infinity');

CREATE TABLE stream_head (
  stream   text   PRIMARY KEY,
  version  bigint NOT NULL,
  hash     bytea  NOT NULL,
  state    json
) WITH (fillfactor = 50);

COMMENT ON TABLE  stream_head         IS 'The end of each stream, for optimistic appends, and what its observer knows there.';
COMMENT ON COLUMN stream_head.version IS 'Version of the stream''s last event.';
COMMENT ON COLUMN stream_head.hash    IS 'Hash of the stream''s last event.';
COMMENT ON COLUMN stream_head.state   IS 'The observer''s state after that event, written in the same transaction.';

CREATE FUNCTION refuse_change_of_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The event log is append-only: % on % is refused', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER event_is_append_only BEFORE UPDATE OR DELETE ON event
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_log();
CREATE TRIGGER event_is_not_truncated BEFORE TRUNCATE ON event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_log();
REVOKE UPDATE, DELETE, TRUNCATE ON event FROM PUBLIC, CURRENT_USER;

-- Makes sure that the month of `at` has its partition, with the guards that the parent cannot pass on.
CREATE FUNCTION ensure_event_partition(at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month timestamptz := date_trunc('month', at, 'UTC');
  name  text := 'event_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM');
BEGIN
  IF to_regclass(format('%I', name)) IS NOT NULL THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('hindsight event partition'));
  IF to_regclass(format('%I', name)) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE %I PARTITION OF event FOR VALUES FROM (%L) TO (%L)',
                 name, month, date_trunc('month', month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC');
  EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_log()',
                 name || '_is_not_truncated', name);
  EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %I FROM PUBLIC, CURRENT_USER', name);
END $$;

-- Bodies are text that repeats itself: lz4 costs less time and fewer bytes than the default, where the server has it.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
    ALTER TABLE event ALTER COLUMN body SET COMPRESSION lz4;
  END IF;
END $$;
