import { columnsOf } from '../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../tables/record.entities.js';
import type { Handover } from '../projection.js';

/** More transactions than the live projection can make during a rebuild; the number range has room for 2 billion such steps. */
const LEAP = 2n ** 32n;

/**
 * Makes a swap visible to clients that ask for changes: they find all rows, with numbers larger than any before, given out
 * at the time of the swap. Rows that no node showed, and that the new rules no longer produce, remain as withdrawn.
 */
export const RECORD_SUCCESSION: Handover = {
  async begin(query, live) {
    await query(
      `INSERT INTO record_change (change, at)
       SELECT coalesce(max(change), 0) + ${LEAP}, clock_timestamp() FROM "${live}".record_change`,
    );
  },

  async carryOver(query, live, done) {
    const [last] = await query<{ change: bigint }>(
      `SELECT coalesce(max(change), 0) AS change FROM "${live}".record_change`,
    );
    // The new rules never knew a withdrawn row, so it ends where it begins.
    const same = columnsOf(SubmissionEntity).list((name) =>
      name === 'to_position' ? 'o.from_position' : `o.${name}`,
    );
    await query(
      `INSERT INTO submission (${columnsOf(SubmissionEntity).names})
       SELECT DISTINCT ON (o.lineage_key, o.da_height, o.kind) ${same} FROM "${live}".submission o
        WHERE o.node_key IS NULL AND o.change > $1
          -- With other nodes excluded, the keys of these rows have lost their meaning.
          AND NOT EXISTS (SELECT FROM projection_checkpoint c JOIN "${live}".projection_checkpoint l USING (name)
                           WHERE c.excluded <> l.excluded)
          AND NOT EXISTS (SELECT FROM submission n WHERE n.lineage_key = o.lineage_key AND n.da_height = o.da_height
                             AND n.kind = o.kind AND n.node_key IS NULL)
        ORDER BY o.lineage_key, o.da_height, o.kind, o.from_position DESC`,
      [done ?? -1n],
    );
    // Only the first and the last number matter.
    await query(
      `DELETE FROM record_change WHERE change > (SELECT min(change) FROM record_change)
                                   AND change < (SELECT max(change) FROM record_change)`,
    );
    await query('UPDATE record_change SET at = (SELECT clock_timestamp())');
    return last?.change ?? 0n;
  },
};
