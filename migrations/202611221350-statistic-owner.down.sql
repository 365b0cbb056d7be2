COMMENT ON TABLE statistic IS 'Sums of submissions by bucket, subject, namespace, kind and status. A bucket is replaced whole, never added to.';
