ALTER TABLE block_statistic DROP COLUMN first_height;
