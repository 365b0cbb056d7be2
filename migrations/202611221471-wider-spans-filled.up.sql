-- In a transaction of its own: since the one before, triggers keep what is written, so that nobody waits while the rows that were
-- there are read.
UPDATE block_span z
   SET first_included_position = least(z.first_included_position, b.first),
       last_included_position = greatest(z.last_included_position, b.last | 4095)
  FROM (SELECT node_key, lineage_key, height >> 12 AS span, min(included) AS first, max(included) AS last
          FROM block CROSS JOIN LATERAL (
            SELECT coalesce(greatest(header_included_position, data_included_position), included_position, from_position) AS included) i
         WHERE header_da_height IS NOT NULL AND data_da_height IS NOT NULL
         GROUP BY 1, 2, 3) b
 WHERE (z.node_key, z.lineage_key, z.span) = (b.node_key, b.lineage_key, b.span);
UPDATE submission_span z
   SET first_da_height = least(z.first_da_height, s.first), last_da_height = greatest(z.last_da_height, s.last)
  FROM (SELECT list.node_key, list.place >> 12 AS span, min(da_height) AS first, max(da_height) AS last
          FROM submission s CROSS JOIN LATERAL (VALUES (0, s.from_position), (s.node_key, s.sequence)) list (node_key, place)
         WHERE da_height IS NOT NULL AND list.node_key IS NOT NULL
         GROUP BY 1, 2) s
 WHERE (z.node_key, z.span) = (s.node_key, s.span);
