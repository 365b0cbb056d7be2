import type { DataSource } from 'typeorm';

/** The number of submissions and blocks in no span, or outside the bounds of their span. */
export async function uncoveredBySpans(dataSource: DataSource): Promise<number> {
  const [row] = await dataSource.query(
    `SELECT (SELECT count(*) FROM submission s CROSS JOIN LATERAL (VALUES (0, s.from_position), (s.node_key, s.sequence)) list (node_key, place)
              WHERE list.node_key IS NOT NULL AND NOT EXISTS (
                SELECT FROM submission_span z WHERE z.node_key = list.node_key AND z.span = list.place / 4096
                   AND s.time_at BETWEEN z.first_time AND z.last_time AND z.first_position <= s.from_position
                   AND (s.da_height IS NULL OR s.da_height BETWEEN z.first_da_height AND z.last_da_height)))::int
          + (SELECT count(*) FROM block b WHERE NOT EXISTS (
                SELECT FROM block_span z WHERE z.node_key = b.node_key AND z.lineage_key = b.lineage_key AND z.span = b.height / 4096
                   AND b.time_ns BETWEEN z.first_time_ns AND z.last_time_ns AND z.first_position <= b.from_position
                   AND (b.header_da_height IS NULL OR b.data_da_height IS NULL
                     OR coalesce(greatest(b.header_included_position, b.data_included_position), b.from_position)
                        BETWEEN z.first_included_position AND z.last_included_position)))::int AS n`,
  );
  return row.n as number;
}
