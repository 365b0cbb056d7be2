-- What was reconstructed and still is, by the time at which blocks showed it: asked for when a row comes late that may be it.
CREATE INDEX submission_rebuilt_idx ON submission (lineage_key, observed_at)
  WHERE evidence = 4 AND to_position IS NULL;
COMMENT ON COLUMN record_mark.what IS 'CHAIN, KINDS, JOINING, LEAVING, WALKED, LOSS, LATE or READY: see src/tables/record/record-mark.entity.ts.';
-- Rows that may have landed without telling where, by kind and their place in the list.
CREATE INDEX submission_vague_idx ON submission (node_key, kind, sequence)
  WHERE da_height IS NULL AND node_key IS NOT NULL AND (status = 0 OR status IN (2, 3, 5));
-- Those of them that failed: whether there is one is asked for whenever something is missing.
CREATE INDEX submission_failed_idx ON submission (node_key, kind, sequence)
  WHERE da_height IS NULL AND node_key IS NOT NULL AND status IN (2, 3, 5);
COMMENT ON COLUMN submission.to_position IS 'The event that withdrew it (only RECONSTRUCTED rows that a seen attempt explained, or may have been, later).';
