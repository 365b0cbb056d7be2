-- What was reconstructed and still is, by the time at which blocks showed it: asked for when a row comes late that may be it.
CREATE INDEX submission_rebuilt_idx ON submission (lineage_key, observed_at)
  WHERE evidence = 4 AND to_position IS NULL;
COMMENT ON COLUMN record_mark.what IS 'CHAIN, KINDS, JOINING, LEAVING, WALKED, LOSS, LATE or READY: see src/tables/record/record-mark.entity.ts.';
