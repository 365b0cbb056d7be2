ALTER TABLE health_interval ADD COLUMN setting text, ADD COLUMN limit_value double precision;
COMMENT ON COLUMN health_interval.setting     IS 'The setting that decided, by its name in hindsight.yaml; null where none did.';
COMMENT ON COLUMN health_interval.limit_value IS 'What it came to: milliseconds, or attempts for failuresCount.';
COMMENT ON COLUMN health_interval.reason      IS 'Why, with the numbers at the moment it was confirmed.';
