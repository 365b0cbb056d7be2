-- Lists find rare rows by an index of them, instead of walking the whole list: attempts that failed in one way, successes
-- that no block points to, rows that blocks prove, blocks that are not included. What is common is found by the list itself.
CREATE INDEX submission_status_idx ON submission (status, from_position, sequence) WHERE status <> 0;
CREATE INDEX submission_evidence_idx ON submission (evidence, from_position, sequence) WHERE evidence IN (3, 4);
CREATE INDEX block_pending_idx ON block (node_key, lineage_key, height)
  WHERE header_da_height IS NULL OR data_da_height IS NULL;
