DROP INDEX block_pending_idx;
DROP INDEX submission_evidence_idx;
DROP INDEX submission_status_idx;
