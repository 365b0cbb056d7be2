-- In a transaction of its own: since the one before, triggers keep what is written, so that nobody waits while the blocks that were
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
