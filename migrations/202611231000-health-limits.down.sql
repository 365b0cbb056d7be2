ALTER TABLE health_interval DROP COLUMN setting, DROP COLUMN limit_value;
COMMENT ON COLUMN health_interval.reason IS 'Why, with the numbers and thresholds at the moment it was confirmed.';
