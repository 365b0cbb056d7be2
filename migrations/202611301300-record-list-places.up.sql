-- Where a list begins among its node's rows: rows around a switch to another chain are not bounded by DA heights of both chains.
ALTER TABLE node_list ADD COLUMN after_sequence bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN node_list.after_sequence IS 'Sequence of the last row of the node before the list; 0 for none.';
