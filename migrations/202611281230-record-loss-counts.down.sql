DROP INDEX bracket_loss_idx;
ALTER TABLE loss DROP COLUMN undecided_headers, DROP COLUMN undecided_data, DROP COLUMN posted_elsewhere;
COMMENT ON COLUMN loss.min_lost       IS 'Proven; a later version may be higher when blocks show more.';
COMMENT ON COLUMN loss.max_lost       IS 'Proven, else null.';
COMMENT ON COLUMN loss.shown_lost     IS 'How many of them blocks show: the RECONSTRUCTED rows that name it.';
COMMENT ON COLUMN bracket.other_loss_position IS 'The second one.';
COMMENT ON COLUMN submission.loss_position IS 'Of RECONSTRUCTED: the loss that it is part of; null where none holds it for certain.';
