-- A list is in the order of its rows, and their times are nearly in it, too, but not quite: a row may be shown late. So of each stretch
-- of a list is kept between which times and positions its rows lie; whoever looks for rows of a past steps over the stretches that
-- have none instead of walking over their rows. Rows keep their place and time, so a span only ever becomes wider.
CREATE TABLE submission_span (
  node_key       integer     NOT NULL,
  span           bigint      NOT NULL,
  first_time     timestamptz NOT NULL,
  last_time      timestamptz NOT NULL,
  first_position bigint      NOT NULL,
  PRIMARY KEY (node_key, span)
) WITH (fillfactor = 50);
COMMENT ON TABLE  submission_span                IS 'Of each 4,096 places of a list of submissions: when and where its rows lie at most.';
COMMENT ON COLUMN submission_span.node_key       IS 'The node whose list it is; 0: that of all.';
COMMENT ON COLUMN submission_span.span           IS 'The sequence of its rows divided by 4,096; in the list of all, their from_position.';
COMMENT ON COLUMN submission_span.first_time     IS 'No row of it has an earlier time_at.';
COMMENT ON COLUMN submission_span.last_time      IS 'No row of it has a later time_at.';
COMMENT ON COLUMN submission_span.first_position IS 'No row of it has a lower from_position.';

CREATE TABLE block_span (
  node_key       integer NOT NULL,
  lineage_key    integer NOT NULL,
  span           bigint  NOT NULL,
  first_time_ns  bigint  NOT NULL,
  last_time_ns   bigint  NOT NULL,
  first_position bigint  NOT NULL,
  PRIMARY KEY (node_key, lineage_key, span)
) WITH (fillfactor = 50);
COMMENT ON TABLE  block_span                IS 'Of each 4,096 heights of a node and lineage: when and from where on its blocks lie at most.';
COMMENT ON COLUMN block_span.node_key       IS 'The node that showed them.';
COMMENT ON COLUMN block_span.lineage_key    IS 'The history of the chain that they are of.';
COMMENT ON COLUMN block_span.span           IS 'Their height divided by 4,096.';
COMMENT ON COLUMN block_span.first_time_ns  IS 'None of them has an earlier time_ns.';
COMMENT ON COLUMN block_span.last_time_ns   IS 'None of them has a later time_ns.';
COMMENT ON COLUMN block_span.first_position IS 'None of them has a lower from_position.';

-- Triggers, since no statement may forget it, those of the release before included.
CREATE FUNCTION widen_submission_spans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO submission_span AS known (node_key, span, first_time, last_time, first_position)
  SELECT list.node_key, list.place >> 12, min(time_at), max(time_at), min(from_position)
    FROM added s CROSS JOIN LATERAL (VALUES (0, s.from_position), (s.node_key, s.sequence)) list (node_key, place)
   WHERE list.node_key IS NOT NULL
   GROUP BY 1, 2
  ON CONFLICT (node_key, span) DO UPDATE
     SET first_time = least(known.first_time, excluded.first_time), last_time = greatest(known.last_time, excluded.last_time),
         first_position = least(known.first_position, excluded.first_position)
   WHERE excluded.first_time < known.first_time OR excluded.last_time > known.last_time
      OR excluded.first_position < known.first_position;
  RETURN NULL;
END $$;
CREATE FUNCTION widen_block_spans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO block_span AS known (node_key, lineage_key, span, first_time_ns, last_time_ns, first_position)
  SELECT node_key, lineage_key, height >> 12, min(time_ns), max(time_ns), min(from_position)
    FROM added GROUP BY 1, 2, 3
  ON CONFLICT (node_key, lineage_key, span) DO UPDATE
     SET first_time_ns = least(known.first_time_ns, excluded.first_time_ns),
         last_time_ns = greatest(known.last_time_ns, excluded.last_time_ns),
         first_position = least(known.first_position, excluded.first_position)
   WHERE excluded.first_time_ns < known.first_time_ns OR excluded.last_time_ns > known.last_time_ns
      OR excluded.first_position < known.first_position;
  RETURN NULL;
END $$;
CREATE TRIGGER submission_widens_spans AFTER INSERT ON submission
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION widen_submission_spans();
CREATE TRIGGER block_widens_spans AFTER INSERT ON block
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION widen_block_spans();

-- After the triggers, which keep writers away until the end: the rows that are there.
INSERT INTO submission_span (node_key, span, first_time, last_time, first_position)
SELECT list.node_key, list.place >> 12, min(time_at), max(time_at), min(from_position)
  FROM submission s CROSS JOIN LATERAL (VALUES (0, s.from_position), (s.node_key, s.sequence)) list (node_key, place)
 WHERE list.node_key IS NOT NULL
 GROUP BY 1, 2;
INSERT INTO block_span (node_key, lineage_key, span, first_time_ns, last_time_ns, first_position)
SELECT node_key, lineage_key, height >> 12, min(time_ns), max(time_ns), min(from_position) FROM block GROUP BY 1, 2, 3;
