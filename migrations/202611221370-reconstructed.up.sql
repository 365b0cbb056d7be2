-- What was reconstructed from a DA height on: which loss holds it is found anew where a hole begins or ends.
CREATE INDEX submission_reconstructed_idx ON submission (lineage_key, da_height) WHERE evidence = 4 AND to_position IS NULL;
