DROP TABLE loss, decision_turn, frontier, bracket, inclusion_walk, block_span, block, proposer, submission_span, submission_run,
  submission_evidence_past, submission, lineage, node_namespace, namespace, node_chain, node, record_change, projection_fault,
  projection_checkpoint;
DROP FUNCTION widen_block_spans, widen_submission_heights, widen_submission_spans, number_change, refuse_other_version;
