-- Coverage by list: each stretch tells up to when it is proven, and what is not proven behind it. Rows from before stay until the
-- rebuild, each up to the next one of its node.
DROP INDEX coverage_interval_open_key;
ALTER TABLE coverage_interval
  ADD COLUMN number   integer NOT NULL DEFAULT 0,
  ADD COLUMN kind     text    NOT NULL DEFAULT 'LIST',
  ADD COLUMN list     integer,
  ADD COLUMN ring     text    NOT NULL DEFAULT '',
  ADD COLUMN until_at timestamptz,
  ADD COLUMN unstated boolean NOT NULL DEFAULT false,
  ADD COLUMN after_sequence bigint NOT NULL DEFAULT 0;
UPDATE coverage_interval c SET number = o.number, ring = c.node, list = 0, until_at = greatest(o.next_at, c.to_at)
  FROM (SELECT node, from_position, row_number() OVER w - 1 AS number, lead(from_at) OVER w AS next_at
          FROM coverage_interval WINDOW w AS (PARTITION BY node ORDER BY from_position)) o
 WHERE o.node = c.node AND o.from_position = c.from_position;
ALTER TABLE coverage_interval
  DROP CONSTRAINT coverage_interval_pkey,
  ADD CONSTRAINT coverage_interval_pkey PRIMARY KEY (node, number),
  ALTER COLUMN number DROP DEFAULT,
  ALTER COLUMN kind DROP DEFAULT,
  ALTER COLUMN ring DROP DEFAULT,
  ALTER COLUMN unstated DROP DEFAULT,
  ALTER COLUMN after_sequence DROP DEFAULT,
  DROP COLUMN available,
  DROP COLUMN empty_list,
  DROP COLUMN ended_by,
  DROP COLUMN from_position,
  DROP COLUMN to_position,
  DROP COLUMN axis;
DROP INDEX coverage_interval_time_idx;
CREATE INDEX coverage_interval_time_idx ON coverage_interval (node, until_at);
COMMENT ON TABLE  coverage_interval          IS 'Stretches of the lists behind a node''s address: a time that is proven, and the time behind it of which nothing is.';
COMMENT ON COLUMN coverage_interval.number   IS 'Counts the stretches of the node, from 0.';
COMMENT ON COLUMN coverage_interval.kind     IS 'LIST, HOLE (an event states it), NOT_AGGREGATOR (the node said so: nothing to cover) or UNSEEN (no list was ever seen).';
COMMENT ON COLUMN coverage_interval.list     IS 'The list''s number behind the address; null for what is no list.';
COMMENT ON COLUMN coverage_interval.ring     IS 'Lists of several nodes that bear the same one are one list: a row with a time stood in both.';
COMMENT ON COLUMN coverage_interval.to_at    IS 'The last look up to which it is proven that no row of the list was missed.';
COMMENT ON COLUMN coverage_interval.until_at IS 'The look that ends what is not proven behind it; null while nothing has.';
COMMENT ON COLUMN coverage_interval.unstated IS 'Whether rows may be missing behind it and no event says so: the list is out of sight.';
COMMENT ON COLUMN coverage_interval.after_sequence IS 'The last row that was recorded of the list; 0 for none.';

CREATE TABLE coverage_fold (
  node          text NOT NULL PRIMARY KEY,
  state         json NOT NULL,
  rings         json NOT NULL,
  newest_row    bigint,
  looked_at     timestamptz
);
COMMENT ON TABLE  coverage_fold               IS 'All that the coverage of a node is a function of, at the projection''s checkpoint.';
COMMENT ON COLUMN coverage_fold.node          IS 'Id of the node.';
COMMENT ON COLUMN coverage_fold.state         IS 'ListCoverage of src/domain/submissions/list-coverage.ts.';
COMMENT ON COLUMN coverage_fold.rings         IS 'The ring of each list that is remembered and is one with a list of another node.';
COMMENT ON COLUMN coverage_fold.newest_row IS 'Digest of the newest row of the list that was seen last: by it another node shows the same list.';
COMMENT ON COLUMN coverage_fold.looked_at     IS 'The last look at the list, whatever it found.';
CREATE INDEX coverage_fold_newest_row_idx ON coverage_fold (newest_row);
