import type { Micros } from '../../domain/time.js';
import type { Database } from '../../platform/sql.js';
import { PROJECTION_FACTORIES } from '../../projections/all-projections.js';

/**
 * The last moment, by the database's clock, up to which all recorded events are in the read models. Queries of them with this
 * `knownAt` return the same answer for ever.
 */
export async function getKnownTime(dataSource: Pick<Database, 'query'>): Promise<Micros> {
  const [row] = await dataSource.query<{ at: Micros }[]>(
    `SELECT least(greatest(clock_timestamp(), recorded_at),
                  (SELECT e.recorded_at FROM event e
                    WHERE e.position > (SELECT min(position) FROM projection_checkpoint WHERE name = ANY ($1::text[]))
                    ORDER BY e.position LIMIT 1) - interval '1 microsecond') AS at
       FROM log_head`,
    [Object.keys(PROJECTION_FACTORIES)],
  );
  if (!row) throw new Error('log_head is empty: the database was not migrated');
  return row.at;
}
