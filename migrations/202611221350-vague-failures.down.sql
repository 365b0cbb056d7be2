DROP INDEX submission_vague_idx;
