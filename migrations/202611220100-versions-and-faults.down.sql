DROP TABLE roll_up_fault, projection_fault;
ALTER INDEX roll_up_mark_subject_idx RENAME TO statistic_mark_subject_idx;
ALTER INDEX roll_up_mark_age_idx RENAME TO statistic_mark_age_idx;
ALTER TABLE roll_up_mark RENAME TO statistic_mark;
DROP TRIGGER projection_checkpoint_keeps_its_version ON projection_checkpoint;
DROP FUNCTION refuse_other_version();
ALTER TABLE projection_checkpoint DROP COLUMN version;
ALTER INDEX projection_checkpoint_pkey RENAME TO projection_pkey;
ALTER TABLE projection_checkpoint RENAME TO projection;
