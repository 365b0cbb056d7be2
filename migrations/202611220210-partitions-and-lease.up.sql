-- Makes sure that the month of `at` has its partition, with the guards that the parent cannot pass on.
--
-- The table is made by itself and then attached. That takes no lock that readers or appends wait for, as long as `event`
-- has no default partition: a dump or a long query over the turn of a month hinders nobody, and is not waited for.
-- Whoever waits for a lock all the same (another process that makes one, ANALYZE of the whole log) is told so after 2 s.
CREATE OR REPLACE FUNCTION ensure_event_partition(at timestamptz) RETURNS void LANGUAGE plpgsql
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

CREATE FUNCTION is_event_partition(name text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM pg_inherits
                  WHERE inhparent = 'event'::regclass AND inhrelid = to_regclass(format('%I', name)))
$$;

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
