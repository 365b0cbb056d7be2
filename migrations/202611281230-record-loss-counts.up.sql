-- What raises the proven minimum of a loss, by counting: groups of blobs that rows of the list may be, and groups that another list posted.
ALTER TABLE loss
  ADD COLUMN undecided_headers bigint NOT NULL DEFAULT 0,
  ADD COLUMN undecided_data    bigint NOT NULL DEFAULT 0,
  ADD COLUMN posted_elsewhere  bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN loss.min_lost          IS 'Proven. Blocks that are shown later may raise it, or lower it where they prove that another list posts.';
COMMENT ON COLUMN loss.max_lost          IS 'Proven, else null. A minimum above it is a contradiction, which the explanation states.';
COMMENT ON COLUMN loss.shown_lost        IS 'RECONSTRUCTED groups that only this loss can hold, with a newest block of its time.';
COMMENT ON COLUMN loss.undecided_headers IS 'UNDECIDED groups of headers of its time that only this loss, or rows of the list next to it, can be.';
COMMENT ON COLUMN loss.undecided_data    IS 'The same of data.';
COMMENT ON COLUMN loss.posted_elsewhere  IS 'RECONSTRUCTED groups at the DA heights of this loss that were included before it began, or hold blocks from long after it ended: another list posted them.';
COMMENT ON COLUMN bracket.other_loss_position IS 'The second hole, or the event by which the node said that it does not submit: what blocks show there may be another list''s.';
COMMENT ON COLUMN submission.loss_position IS 'Of a group: the only loss that can hold it; null where several can, or none.';
CREATE INDEX bracket_loss_idx ON bracket (loss_position) WHERE loss_position IS NOT NULL;
