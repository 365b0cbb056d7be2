-- Failures of unknown outcome that do not tell how many blobs or bytes they had, by their place in the list.
CREATE INDEX submission_vague_idx ON submission (node_key, sequence)
  WHERE status IN (2, 3, 5) AND da_height IS NULL AND (blob_count IS NULL OR size_bytes IS NULL);
