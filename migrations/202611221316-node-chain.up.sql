-- A row without a lineage belongs to the chain that its node named when it was recorded, not to the one that the node names
-- by now. Only names that nodes and settings say are kept: after blocks a row has the lineage of these.
CREATE TABLE node_chain (
  node_key      integer NOT NULL,
  from_position bigint  NOT NULL,
  chain_id      text    NOT NULL,
  told          boolean NOT NULL,
  PRIMARY KEY (node_key, from_position)
);
COMMENT ON TABLE  node_chain               IS 'Chains that a node named: what its rows without a lineage belong to.';
COMMENT ON COLUMN node_chain.node_key      IS 'The node.';
COMMENT ON COLUMN node_chain.from_position IS 'The event from which on; 0 of the first one, which rows from before it belong to as well.';
COMMENT ON COLUMN node_chain.chain_id      IS 'The chain.';
COMMENT ON COLUMN node_chain.told          IS 'Whether the node itself said so; else the settings did, which counts until it says one.';
-- Until the record is made anew, such rows belong to the chain that their node names.
INSERT INTO node_chain (node_key, from_position, chain_id, told)
  SELECT node_key, 0, chain_id, true FROM node WHERE chain_id IS NOT NULL;
COMMENT ON COLUMN submission.digest IS 'First 64 bits of the SHA-256 of the row in canonical JSON: tells equal rows of two endpoints of one node. Null for RECONSTRUCTED.';
