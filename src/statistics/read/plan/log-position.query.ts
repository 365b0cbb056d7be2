import type { Query } from '../../../platform/sql.js';
import { selectMicros } from './micros.js';

/**
 * Position of the last event that was recorded at a moment or before it; 0 before the first.
 *
 * Positions have no gaps and their times never go back, so it is found by halving: a dozen or two of look-ups by the
 * index, however long the log is.
 * @param us Unix microseconds, on the database's clock
 */
export async function findPositionAt(query: Query, us: bigint): Promise<bigint> {
  const heads = await query<{ position: string }>('SELECT position FROM log_head');
  let known = 0n;
  let after = BigInt(heads[0]?.position ?? 0) + 1n;
  while (known + 1n < after) {
    const middle = (known + after) / 2n;
    const rows = await query<{ recorded: string }>(
      `SELECT ${selectMicros('recorded_at', 'recorded')} FROM event WHERE position = $1`,
      [middle],
    );
    if (BigInt(rows[0]?.recorded ?? 0) <= us) known = middle;
    else after = middle;
  }
  return known;
}
