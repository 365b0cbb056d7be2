ALTER TABLE statistic
  DROP COLUMN lag_count, DROP COLUMN lag_sum_ns, DROP COLUMN submission_count, DROP COLUMN submission_sum_us;
