DROP TABLE loss, block, proposer, submission_evidence_past, submission, lineage, namespace, node, projection;
