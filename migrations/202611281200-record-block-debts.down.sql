ALTER TABLE inclusion_walk
  DROP COLUMN recorded,
  DROP COLUMN header_hole_heights,
  DROP COLUMN data_hole_heights;
COMMENT ON COLUMN inclusion_walk.gaps IS 'Heights that cannot be read any more and that the walk has yet to step over.';
