DROP TRIGGER submission_widens_spans ON submission;
DROP TRIGGER block_widens_spans ON block;
DROP FUNCTION widen_submission_spans();
DROP FUNCTION widen_block_spans();
DROP TABLE submission_span;
DROP TABLE block_span;
