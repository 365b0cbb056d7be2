import type { DataSource } from 'typeorm';
import type { RecordMarkEntity } from '../../tables/record/record-mark.entity.js';

/** An event that touches so much that it is decided in pages, and how far that has come. */
export interface PagedEvent extends Pick<RecordMarkEntity, 'position' | 'done' | 'chainId'> {
  /** Steps that are left, with the one under way; `done` counts the rows or DA heights of that one. */
  readonly steps: number;
}

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
