DROP TABLE imported_fee_past, imported_fee, price, chain_setting, claim, probe_state, probe_minute, coverage_fold, coverage_interval,
  availability_interval, health_threshold, health_fold, health_interval;
