import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../../platform/sql.js';

/**
 * Position of the last event that was recorded at or before a moment; 0 before the first event.
 *
 * Positions have no gaps and their times never go back, so it is found by halving: one or two dozen index look-ups, however
 * long the log is.
 * @param us by the database's clock
 */
export async function findPositionAt(query: Query, us: Micros): Promise<bigint> {
  const heads = await query<{ position: bigint }>('SELECT position FROM log_head');
  let known = 0n;
  let after = (heads[0]?.position ?? 0n) + 1n;
  while (known + 1n < after) {
    const middle = (known + after) / 2n;
    const rows = await query<{ recorded: Micros }>(
      'SELECT recorded_at AS recorded FROM event WHERE position = $1',
      [middle],
    );
    if ((rows[0]?.recorded ?? 0n) <= us) known = middle;
    else after = middle;
  }
  return known;
}
