DROP TABLE observer_lease;

CREATE OR REPLACE FUNCTION ensure_event_partition(at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
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

DROP FUNCTION is_event_partition(text);
