DROP TABLE last_trouble;
DROP TABLE incident_join;
DELETE FROM health_interval WHERE component = 'COVERAGE';
ALTER TABLE health_interval DROP CONSTRAINT health_interval_component_check,
  ADD CONSTRAINT health_interval_component_check CHECK (component IN ('DA', 'NODE'));
COMMENT ON COLUMN health_interval.component IS 'DA or NODE.';
COMMENT ON COLUMN health_interval.rule      IS 'The rule that decided; see DA_RULES and NODE_RULES in src/domain.';
