-- What cannot be computed again: the event log, who may write it and who may ask. And what the database itself must have.

-- Parts of texts are found by their trigrams where the server has the extension and lets this account make it. Where not, the
-- newest texts alone are looked through. A schema of its own: what was made here can be told from what others made.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN RETURN; END IF;
  CREATE SCHEMA hindsight_trigrams;
  CREATE EXTENSION pg_trgm SCHEMA hindsight_trigrams;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'pg_trgm is not there (%): messages are searched without it', SQLERRM;
END $$;

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
COMMENT ON COLUMN event.schema      IS 'Version of the form of the type''s body.';
COMMENT ON COLUMN event.observed_at IS 'The observer''s clock.';
COMMENT ON COLUMN event.recorded_at IS 'The database''s clock, never smaller than that of the position before.';
COMMENT ON COLUMN event.body        IS 'What was seen, as sent.';
COMMENT ON COLUMN event.hash        IS 'SHA-256 over the stream''s previous hash and this event; see src/domain/hash-chain.ts.';
CREATE INDEX event_position_idx ON event (position);
CREATE INDEX event_stream_idx ON event (stream, version);

-- Bodies are text that repeats itself: lz4 costs less time and fewer bytes than the default, where the server has it.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
    ALTER TABLE event ALTER COLUMN body SET COMPRESSION lz4;
  END IF;
END $$;

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

CREATE FUNCTION is_event_partition(name text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM pg_inherits
                  WHERE inhparent = 'event'::regclass AND inhrelid = to_regclass(format('%I', name)))
$$;

-- Makes sure that the month of `at` has its partition, with the guards that the parent cannot pass on.
--
-- The table is made by itself and then attached. That takes no lock that readers or appends wait for, as long as `event`
-- has no default partition: a dump or a long query over the turn of a month hinders nobody, and is not waited for.
-- Whoever waits for a lock all the same (another process that makes one, ANALYZE of the whole log) is told so after 2 s.
CREATE FUNCTION ensure_event_partition(at timestamptz) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '2s' AS $$
DECLARE
  month  timestamptz := date_trunc('month', at, 'UTC');
  after  timestamptz := date_trunc('month', month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
  name   text := 'event_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM');
  guard  text := name || '_is_not_truncated';
BEGIN
  IF is_event_partition(name) THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('hindsight event partition'));
  IF is_event_partition(name) THEN RETURN; END IF;
  -- A month that was taken off the log, or left behind, is put back as it is.
  IF to_regclass(format('%I', name)) IS NULL THEN
    -- The check says what the bounds say. It stays, so that a month that is taken off and put back need not be read through.
    EXECUTE format('CREATE TABLE %I (LIKE event INCLUDING COMPRESSION INCLUDING STORAGE INCLUDING DEFAULTS INCLUDING INDEXES,
                    CONSTRAINT %I CHECK (recorded_at >= %L AND recorded_at < %L))',
                   name, name || '_is_of_its_month', month, after);
  END IF;
  IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass(format('%I', name)) AND tgname = guard) THEN
    EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_log()',
                   guard, name);
  END IF;
  EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %I FROM PUBLIC, CURRENT_USER', name);
  EXECUTE format('ALTER TABLE event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, month, after);
END $$;

CREATE TABLE log_head (
  only_row    boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
  position    bigint      NOT NULL,
  recorded_at timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE  log_head             IS 'The end of the log. Its row lock, held from numbering to commit, makes position order commit order.';
COMMENT ON COLUMN log_head.only_row    IS 'There is one row.';
COMMENT ON COLUMN log_head.position    IS 'Position of the last event; 0 before the first.';
COMMENT ON COLUMN log_head.recorded_at IS 'recorded_at of the last event.';
INSERT INTO log_head (position, recorded_at) VALUES (0, '-infinity');

CREATE TABLE stream_head (
  stream  text   PRIMARY KEY,
  version bigint NOT NULL,
  hash    bytea  NOT NULL,
  state   json
) WITH (fillfactor = 50);
COMMENT ON TABLE  stream_head         IS 'The end of each stream, for optimistic appends, and what its observer knows there.';
COMMENT ON COLUMN stream_head.stream  IS 'The stream.';
COMMENT ON COLUMN stream_head.version IS 'Version of the stream''s last event.';
COMMENT ON COLUMN stream_head.hash    IS 'Hash of the stream''s last event.';
COMMENT ON COLUMN stream_head.state   IS 'The observer''s state after that event, written in the same transaction.';

-- Who observes a shard. A row that runs out, and no lock of a session: a session whose host is gone lives on for hours.
CREATE TABLE observer_lease (
  shard      text        PRIMARY KEY,
  holder     text        NOT NULL,
  taken_at   timestamptz NOT NULL,
  renewed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  session    integer     NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE  observer_lease            IS 'Which process observes a shard of the nodes. A hint against useless work: appends are safe without it.';
COMMENT ON COLUMN observer_lease.shard      IS 'As in the settings: 2/4 is the second of four.';
COMMENT ON COLUMN observer_lease.holder     IS 'The process that has it, as host/process/random.';
COMMENT ON COLUMN observer_lease.taken_at   IS 'Since when that process has it, the database''s clock.';
COMMENT ON COLUMN observer_lease.renewed_at IS 'When it said last that it goes on, the database''s clock.';
COMMENT ON COLUMN observer_lease.expires_at IS 'From then on another process may take it, the database''s clock.';
COMMENT ON COLUMN observer_lease.session    IS 'Process id of the database session that renewed it last. When that is gone, another process need not wait.';

-- Who may ask, and who may change. No key stands here: what does is of no use to whoever reads the database or a backup of it.
-- A row is never deleted: events name the keys that asked for them.
CREATE TABLE api_key (
  api_key_id   bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name         text        NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  scope        text        NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
  hash         bytea       NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  revoked_at   timestamptz
) WITH (fillfactor = 70);
COMMENT ON TABLE  api_key              IS 'The API keys that hindsight keys has made, living and revoked. Those of the settings are not here.';
COMMENT ON COLUMN api_key.api_key_id   IS 'Counts up. A name that is used again is another row.';
COMMENT ON COLUMN api_key.name         IS 'As events name it; one living key bears it at a time.';
COMMENT ON COLUMN api_key.scope        IS 'read: may ask. write: may also set prices, import fees and ask for jobs. admin: may do everything.';
COMMENT ON COLUMN api_key.hash         IS 'SHA-256 of the key, which is 256 random bits in text: there is nothing to guess that salt or a slow hash would protect.';
COMMENT ON COLUMN api_key.created_at   IS 'The database''s clock.';
COMMENT ON COLUMN api_key.last_used_at IS 'To about a minute, the database''s clock; null: never used.';
COMMENT ON COLUMN api_key.revoked_at   IS 'From then on it is refused, the database''s clock; null: it lives.';
CREATE UNIQUE INDEX api_key_living_name ON api_key (name) WHERE revoked_at IS NULL;

CREATE TABLE rebuild_failure (
  name     text        PRIMARY KEY,
  error    text        NOT NULL,
  since    timestamptz NOT NULL DEFAULT clock_timestamp(),
  tried_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE  rebuild_failure          IS 'Sets of read models that the service wants to rebuild and cannot.';
COMMENT ON COLUMN rebuild_failure.name     IS 'Name of the set.';
COMMENT ON COLUMN rebuild_failure.error    IS 'What the last try failed of, and what to do about it.';
COMMENT ON COLUMN rebuild_failure.since    IS 'The first try that failed, the database''s clock.';
COMMENT ON COLUMN rebuild_failure.tried_at IS 'The last one, the database''s clock.';
