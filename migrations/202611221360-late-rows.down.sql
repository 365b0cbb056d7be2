COMMENT ON COLUMN record_mark.what IS 'CHAIN, KINDS, JOINING, LEAVING, WALKED, LOSS or READY: see src/tables/record/record-mark.entity.ts.';
DROP INDEX submission_rebuilt_idx;
DROP INDEX submission_vague_idx;
DROP INDEX submission_failed_idx;
COMMENT ON COLUMN submission.to_position IS 'The event that withdrew it (only RECONSTRUCTED rows that a seen attempt explained later).';
