-- Failed attempts that landed, those alike in the order of their list: asked for whenever one more of them is confirmed.
CREATE INDEX submission_landed_idx ON submission (node_key, lineage_key, blob_count, size_bytes, kind, sequence)
  WHERE evidence = 1 AND status <> 0 AND node_key IS NOT NULL;
COMMENT ON TABLE inclusion_open IS 'DA heights that blocks point to, or may, with something that is not decided yet.';
