DELETE FROM health_interval WHERE component IN ('DA_NODE', 'EXECUTION');
ALTER TABLE health_interval DROP CONSTRAINT health_interval_component_check,
  ADD CONSTRAINT health_interval_component_check CHECK (component IN ('DA', 'NODE', 'COVERAGE'));
COMMENT ON COLUMN health_interval.component IS 'DA, NODE or COVERAGE.';
COMMENT ON COLUMN incident_join.component IS 'DA, NODE or COVERAGE.';
