ALTER TABLE coverage_interval DROP COLUMN empty_list;
