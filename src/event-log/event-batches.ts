import type { StatementSource } from '../platform/sql.js';
import { type LogRow, SELECT_EVENT } from './log-row.js';

/** Bytes of events that are held in memory at once: one event can hold a list of 32 MB. */
const BYTES_AT_ONCE = 32 * 1_048_576;
const EVENTS_AT_ONCE = 50;

/** The events at these positions, some at a time, as many as fit into memory; those that are not there are left out. */
export async function* readEventBatches(
  source: Pick<StatementSource, 'query'>,
  positions: readonly bigint[],
): AsyncGenerator<readonly LogRow[]> {
  const rows = await source.query<{ position: bigint; bytes: number }[]>(
    `SELECT position, octet_length(body::text) AS bytes FROM event WHERE position = ANY ($1::bigint[]) ORDER BY position`,
    [positions],
  );
  for (let next = 0; next < rows.length;) {
    const batch: bigint[] = [];
    let bytes = 0;
    for (; next < rows.length && batch.length < EVENTS_AT_ONCE; next += 1) {
      const row = rows[next];
      if (!row || (batch.length > 0 && bytes + row.bytes > BYTES_AT_ONCE)) break;
      batch.push(row.position);
      bytes += row.bytes;
    }
    yield source.query<LogRow[]>(`${SELECT_EVENT} WHERE position = ANY ($1::bigint[])`, [batch]);
  }
}
