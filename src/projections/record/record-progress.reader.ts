import type { DataSource } from 'typeorm';
import type { RecordMarkEntity } from '../../tables/record/record-mark.entity.js';

/** An event that touches so much that it is decided in pages, and how far that has come. */
export interface PagedEvent extends Pick<RecordMarkEntity, 'position' | 'done' | 'chainId'> {
  /** Steps that are left, with the one under way; `done` counts the rows or DA heights of that one. */
  readonly steps: number;
}

/** SQL: the chains whose rows such an event decides, with the steps that are left of it and its time. */
export const UNDECIDED_CHAINS = `
  SELECT c.chain, count(*)::int AS steps, min(m.at) AS since
    FROM record_mark m LEFT JOIN lineage l USING (lineage_key) LEFT JOIN node n ON n.node_key = m.node_key
   CROSS JOIN LATERAL (SELECT coalesce(l.chain_id, n.chain_id) UNION SELECT m.chain_id) c (chain)
   WHERE c.chain IS NOT NULL GROUP BY c.chain`;

/** The event after which no other one is applied yet; undefined: there is none. */
export async function findPagedEvent(database: Pick<DataSource, 'query'>): Promise<PagedEvent | undefined> {
  const [event] = await database.query<PagedEvent[]>(
    `SELECT m.position, m.done, coalesce(l.chain_id, n.chain_id) AS "chainId",
            (SELECT count(*)::int FROM record_mark) AS steps
       FROM record_mark m LEFT JOIN lineage l USING (lineage_key) LEFT JOIN node n ON n.node_key = m.node_key
      ORDER BY m.mark_key LIMIT 1`,
  );
  return event;
}
