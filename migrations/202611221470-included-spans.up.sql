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
