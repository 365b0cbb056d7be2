-- Lists find rows of kinds that few have, and what was UNREFERENCED once, by an index of them.
CREATE INDEX submission_rare_kind_idx ON submission (kind, from_position, sequence) WHERE kind IN (2, 3);
CREATE INDEX submission_evidence_past_rare_idx ON submission_evidence_past (node_key, sequence) WHERE evidence = 3;
