-- Successes that do not tell where they landed: asked for whenever something is missing between their neighbours.
CREATE INDEX submission_heightless_idx ON submission (node_key, sequence)
  WHERE status = 0 AND da_height IS NULL AND node_key IS NOT NULL;
