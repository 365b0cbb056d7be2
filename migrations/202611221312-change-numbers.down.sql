DROP TRIGGER submission_takes_a_number ON submission;
DROP TRIGGER block_takes_a_number ON block;
DROP TRIGGER loss_takes_a_number ON loss;
DROP FUNCTION number_change();
ALTER TABLE submission DROP COLUMN change;
ALTER TABLE block DROP COLUMN change;
ALTER TABLE loss DROP COLUMN change;
DROP TABLE record_change;
