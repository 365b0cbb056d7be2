-- Incidents begin with an interval of trouble: the newest of them are found by it.
CREATE INDEX health_interval_trouble_idx ON health_interval (from_at)
  WHERE to_position IS NULL AND state IN ('WARNING', 'CRITICAL');
