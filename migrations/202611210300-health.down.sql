DROP TABLE claim, probe_state, probe_minute, coverage_interval, availability_interval, health_threshold, health_fold, health_interval;
