COMMENT ON COLUMN submission.evidence_from_position IS 'The event that made its evidence known.';
COMMENT ON TABLE  submission_evidence_past IS 'Evidence that a later event replaced, where it was not simply UNCONFIRMED from the row''s own position on.';
ALTER TABLE submission_evidence_past
  DROP COLUMN lineage_key, DROP COLUMN kind, DROP COLUMN da_height, DROP COLUMN block_from, DROP COLUMN block_to,
  DROP COLUMN shares, DROP COLUMN signed_shares;
ALTER TABLE block DROP COLUMN header_included_position, DROP COLUMN data_included_position;
