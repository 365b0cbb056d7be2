DROP TRIGGER block_widens_spans_later ON block;
CREATE OR REPLACE FUNCTION widen_block_spans() RETURNS trigger LANGUAGE plpgsql AS $$
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
ALTER TABLE block_span
  DROP COLUMN first_included_position,
  DROP COLUMN last_included_position;

DROP TRIGGER submission_widens_spans_later ON submission;
DROP FUNCTION widen_submission_heights();
CREATE OR REPLACE FUNCTION widen_submission_spans() RETURNS trigger LANGUAGE plpgsql AS $$
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
ALTER TABLE submission_span
  DROP COLUMN first_da_height,
  DROP COLUMN last_da_height;
