DROP TABLE loss, inclusion_open, inclusion_walk, block, proposer, submission_evidence_past, submission, lineage, namespace,
  node, projection;
