DROP INDEX submission_header_bracket_idx, submission_data_bracket_idx, submission_group_idx, submission_landed_at_idx;
DROP TABLE bracket, frontier;
ALTER TABLE submission DROP told_lineage_key, DROP header_after, DROP data_after, DROP shown_at, DROP possible;
ALTER TABLE node DROP header_after, DROP header_da, DROP data_after, DROP data_da;
