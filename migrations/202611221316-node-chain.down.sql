COMMENT ON COLUMN submission.digest IS 'First 64 bits of the SHA-256 of the row as sent: tells equal rows of two endpoints of one node. Null for RECONSTRUCTED.';
DROP TABLE node_chain;
