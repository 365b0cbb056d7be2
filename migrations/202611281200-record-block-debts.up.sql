ALTER TABLE inclusion_walk
  ADD COLUMN recorded            bigint,
  ADD COLUMN header_hole_heights int8multirange,
  ADD COLUMN data_hole_heights   int8multirange;
COMMENT ON COLUMN inclusion_walk.gaps                IS 'Heights that the node did not give, or dropped before they were included.';
COMMENT ON COLUMN inclusion_walk.recorded            IS 'How many blocks of the history are recorded of the node.';
COMMENT ON COLUMN inclusion_walk.header_hole_heights IS 'Of each range of header_holes the heights of the blocks that were stepped over.';
COMMENT ON COLUMN inclusion_walk.data_hole_heights   IS 'The same for data_holes.';
