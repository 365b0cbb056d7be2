ALTER TABLE block_statistic ADD COLUMN first_height bigint;
COMMENT ON COLUMN block_statistic.first_height IS 'Lowest height produced in the bucket.';
