-- The successes of a kind in a node's list that stand next to a DA height: asked for whenever something is missing there.
CREATE INDEX submission_order_idx ON submission (node_key, lineage_key, kind, da_height, sequence)
  WHERE status = 0 AND da_height IS NOT NULL AND node_key IS NOT NULL;
