DROP TABLE statistic_state, block_statistic, statistic, imported_fee_past, imported_fee, price, chain_setting, statistic_mark, submission_run;
DROP INDEX submission_node_time_idx, submission_wild_idx, block_node_time_idx, block_data_idx;
ALTER TABLE submission
  DROP COLUMN digest, DROP COLUMN block_from, DROP COLUMN block_to,
  DROP COLUMN first_attempt_at, DROP COLUMN shares, DROP COLUMN signed_shares;
DELETE FROM projection WHERE name = 'prices';
