-- What was decided of a submission keeps what it was before, all of it together; headers and data of a block are included by
-- events of their own.
ALTER TABLE submission_evidence_past
  ADD COLUMN lineage_key integer, ADD COLUMN kind smallint, ADD COLUMN da_height bigint, ADD COLUMN block_from bigint,
  ADD COLUMN block_to bigint, ADD COLUMN shares integer, ADD COLUMN signed_shares integer;
COMMENT ON TABLE  submission_evidence_past               IS 'What was decided of a submission before a later event decided otherwise. Not here: that it was UNCONFIRMED from its own event on, and nothing else has changed.';
COMMENT ON COLUMN submission_evidence_past.lineage_key   IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.kind          IS 'As in submission. Null in rows from before these columns were kept.';
COMMENT ON COLUMN submission_evidence_past.da_height     IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.block_from    IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.block_to      IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.shares        IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.signed_shares IS 'As in submission.';
COMMENT ON COLUMN submission.evidence_from_position IS 'The event that last changed its evidence, kind, lineage, DA height or carried blobs; what they were before stands in submission_evidence_past.';

ALTER TABLE block ADD COLUMN header_included_position bigint, ADD COLUMN data_included_position bigint;
COMMENT ON COLUMN block.header_included_position IS 'The later event that brought the header''s DA height; null when it came with the block or is still missing.';
COMMENT ON COLUMN block.data_included_position   IS 'The same for the data''s.';
