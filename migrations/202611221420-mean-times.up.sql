-- Means of the two times whose distributions are kept as sketches, which know no sum. A row without these columns is of rules
-- from before them: its values are in no mean.
ALTER TABLE statistic
  ADD COLUMN lag_count bigint, ADD COLUMN lag_sum_ns numeric, ADD COLUMN submission_count bigint, ADD COLUMN submission_sum_us numeric;
COMMENT ON COLUMN statistic.lag_count         IS 'Values in lag_ms.';
COMMENT ON COLUMN statistic.lag_sum_ns        IS 'Their sum in nanoseconds; a lag below zero counts as 0.';
COMMENT ON COLUMN statistic.submission_count  IS 'Values in submission_ms.';
COMMENT ON COLUMN statistic.submission_sum_us IS 'Their sum in microseconds.';
