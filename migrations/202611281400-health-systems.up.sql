-- Health of the systems behind a node: the DA node that it posts through, and its execution layer.
ALTER TABLE health_interval DROP CONSTRAINT health_interval_component_check,
  ADD CONSTRAINT health_interval_component_check CHECK (component IN ('DA', 'NODE', 'DA_NODE', 'EXECUTION', 'COVERAGE'));
COMMENT ON COLUMN health_interval.component IS 'DA, NODE, DA_NODE, EXECUTION or COVERAGE.';
COMMENT ON COLUMN incident_join.component IS 'DA, NODE, DA_NODE, EXECUTION or COVERAGE.';
