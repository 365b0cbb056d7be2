CREATE INDEX submission_unplaced_idx ON submission (lineage_key, da_height)
  WHERE evidence = 4 AND loss_position IS NULL AND to_position IS NULL;
COMMENT ON COLUMN record_mark.what IS 'CHAIN, KINDS, JOINING, LEAVING, WALKED, LOSS, LATE or READY: see src/tables/record/record-mark.entity.ts.';
DROP INDEX inclusion_open_waiting_idx;
ALTER TABLE inclusion_open DROP COLUMN waits_for;
