DROP INDEX submission_heightless_idx;
