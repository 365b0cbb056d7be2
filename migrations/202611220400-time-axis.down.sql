ALTER TABLE availability_interval DROP COLUMN axis;
ALTER TABLE coverage_interval DROP COLUMN axis;
