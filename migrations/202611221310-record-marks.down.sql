DROP INDEX submission_lineageless_idx;
DROP INDEX submission_kindless_idx;
DROP TABLE record_mark;
