import { columnsFor } from '../platform/rows/row-columns.js';
import type { Database } from '../platform/sql.js';
import type { Micros } from '../domain/time.js';

/**
 * SQL: two common table expressions. `part (stream, low)` has the last version of each stream for which the condition holds, or
 * 0. The condition must hold from the first version up to some version, so that version is found by halving: one or two dozen
 * index look-ups, however long the stream is.
 *
 * @param streams SQL for a list of names
 * @param condition SQL on the event `e`
 */
export function lastVersions(streams: string, condition: string): string {
  return `
  RECURSIVE halved AS (
    SELECT stream, 0::bigint AS low, version AS high FROM stream_head WHERE stream = ANY (${streams})
    UNION ALL
    SELECT h.stream, CASE WHEN m.holds THEN m.version ELSE h.low END, CASE WHEN m.holds THEN h.high ELSE m.version - 1 END
      FROM halved h CROSS JOIN LATERAL (
           SELECT e.version, ${condition} AS holds FROM event e
            WHERE e.stream = h.stream AND e.version = (h.low + h.high + 1) / 2 LIMIT 1) m
     WHERE h.low < h.high),
  part AS (SELECT stream, low FROM halved WHERE low = high)`;
}

const TIMES = columnsFor({ at: 'timestamptz' });

/**
 * The version of the last event of each stream that was observed at or before the moment; 0 if there is no such event. Streams
 * that do not exist are left out.
 */
export async function findVersionsAt(
  source: Pick<Database, 'query'>,
  streams: readonly string[],
  at: Micros,
): Promise<ReadonlyMap<string, bigint>> {
  const times = TIMES.unnest([{ at }], 'asked', 2);
  const rows = await source.query<{ stream: string; low: bigint }[]>(
    `WITH ${lastVersions('$1::text[]', `e.observed_at <= (SELECT at FROM ${times.sql})`)} SELECT stream, low FROM part`,
    [streams, ...times.parameters],
  );
  return new Map(rows.map(({ stream, low }) => [stream, low]));
}

/** The last version of each stream. Streams that do not exist are left out. */
export async function findVersions(
  source: Pick<Database, 'query'>,
  streams: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await source.query<{ stream: string; version: bigint }[]>(
    'SELECT stream, version FROM stream_head WHERE stream = ANY ($1::text[])',
    [streams],
  );
  return new Map(rows.map(({ stream, version }) => [stream, version]));
}
