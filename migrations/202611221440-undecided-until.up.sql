-- What was left undecided since a list ended with a row that may be it is asked again at the next success of that list.
ALTER TABLE inclusion_open ADD COLUMN waits_for integer;
COMMENT ON COLUMN inclusion_open.waits_for IS 'The node whose list ends with a row that may be it: its next success may exclude that. Null for none.';
CREATE INDEX inclusion_open_waits_idx ON inclusion_open (waits_for, lineage_key, da_height) WHERE waits_for IS NOT NULL;
-- The few that wait for blocks or looks, among those that wait for a success.
CREATE INDEX inclusion_open_waiting_idx ON inclusion_open (lineage_key, da_height) WHERE passed OR beyond;
COMMENT ON COLUMN record_mark.what IS 'CHAIN, KINDS, JOINING, LEAVING, WALKED, UNDECIDED, LOSS, LATE or READY: see src/tables/record/record-mark.entity.ts.';
-- No statement asks for what is part of no loss any more; `submission_reconstructed_idx` serves those that ask where something stands.
DROP INDEX submission_unplaced_idx;
