-- Which blocks were not included at some time is asked of years in which nearly all were, within minutes. So of each span is kept
-- between which positions its blocks became included; whoever looks for those that were not yet, or for those that are where hardly
-- any is, steps over the spans that have none. An inclusion is never taken back, so these, too, only ever become wider.
ALTER TABLE block_span
  ADD COLUMN first_included_position bigint,
  ADD COLUMN last_included_position  bigint;
COMMENT ON COLUMN block_span.first_included_position IS 'None of them was included, header and data, before this position; null where none is.';
COMMENT ON COLUMN block_span.last_included_position  IS 'None of them was included behind this position; null where none is.';

-- As known-at.ts has it: rows from before each part had a position of its own have one for both, others none, as they came with both.
-- The last one is rounded up, so that it seldom changes.
CREATE OR REPLACE FUNCTION widen_block_spans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO block_span AS known (node_key, lineage_key, span, first_time_ns, last_time_ns, first_position,
                                   first_included_position, last_included_position)
  SELECT node_key, lineage_key, height >> 12, min(time_ns), max(time_ns), min(from_position), min(included), max(included) | 4095
    FROM (SELECT *, CASE WHEN header_da_height IS NOT NULL AND data_da_height IS NOT NULL
                         THEN coalesce(greatest(header_included_position, data_included_position), included_position, from_position) END AS included
            FROM added) b
   GROUP BY 1, 2, 3
  ON CONFLICT (node_key, lineage_key, span) DO UPDATE
     SET first_time_ns = least(known.first_time_ns, excluded.first_time_ns),
         last_time_ns = greatest(known.last_time_ns, excluded.last_time_ns),
         first_position = least(known.first_position, excluded.first_position),
         first_included_position = least(known.first_included_position, excluded.first_included_position),
         last_included_position = greatest(known.last_included_position, excluded.last_included_position)
   WHERE excluded.first_time_ns < known.first_time_ns OR excluded.last_time_ns > known.last_time_ns
      OR excluded.first_position < known.first_position
      OR excluded.first_included_position < coalesce(known.first_included_position, 9223372036854775807)
      OR excluded.last_included_position > coalesce(known.last_included_position, -1);
  RETURN NULL;
END $$;
CREATE TRIGGER block_widens_spans_later AFTER UPDATE ON block
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION widen_block_spans();

-- DA heights rise with a list, but not quite, as times do. Those of attempts that failed may become known later.
ALTER TABLE submission_span
  ADD COLUMN first_da_height bigint,
  ADD COLUMN last_da_height  bigint;
COMMENT ON COLUMN submission_span.first_da_height IS 'No row of it has a lower da_height; null where none has one.';
COMMENT ON COLUMN submission_span.last_da_height  IS 'No row of it has a higher da_height; null where none has one.';
CREATE OR REPLACE FUNCTION widen_submission_spans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO submission_span AS known (node_key, span, first_time, last_time, first_position, first_da_height, last_da_height)
  SELECT list.node_key, list.place >> 12, min(time_at), max(time_at), min(from_position), min(da_height), max(da_height)
    FROM added s CROSS JOIN LATERAL (VALUES (0, s.from_position), (s.node_key, s.sequence)) list (node_key, place)
   WHERE list.node_key IS NOT NULL
   GROUP BY 1, 2
  ON CONFLICT (node_key, span) DO UPDATE
     SET first_time = least(known.first_time, excluded.first_time), last_time = greatest(known.last_time, excluded.last_time),
         first_position = least(known.first_position, excluded.first_position),
         first_da_height = least(known.first_da_height, excluded.first_da_height),
         last_da_height = greatest(known.last_da_height, excluded.last_da_height)
   WHERE excluded.first_time < known.first_time OR excluded.last_time > known.last_time
      OR excluded.first_position < known.first_position
      OR excluded.first_da_height < coalesce(known.first_da_height, 9223372036854775807)
      OR excluded.last_da_height > coalesce(known.last_da_height, -1);
  RETURN NULL;
END $$;
CREATE FUNCTION widen_submission_heights() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE submission_span z
     SET first_da_height = least(z.first_da_height, NEW.da_height), last_da_height = greatest(z.last_da_height, NEW.da_height)
    FROM (VALUES (0, NEW.from_position), (NEW.node_key, NEW.sequence)) list (node_key, place)
   WHERE z.node_key = list.node_key AND z.span = list.place >> 12
     AND NOT coalesce(NEW.da_height BETWEEN z.first_da_height AND z.last_da_height, false);
  RETURN NULL;
END $$;
CREATE TRIGGER submission_widens_spans_later AFTER UPDATE ON submission FOR EACH ROW
  WHEN (NEW.da_height IS NOT NULL AND NEW.da_height IS DISTINCT FROM OLD.da_height) EXECUTE FUNCTION widen_submission_heights();
