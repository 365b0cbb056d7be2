import { encodeBody } from '../../src/event-log/logged-event.js';
import type { Query } from '../../src/platform/sql.js';
import type { NewEvent } from '../../src/domain/events.js';
import { looksAt, rowsObserved } from './log-writer.js';
import { submissionAt } from './submission-texts.js';

const YEAR_MS = 365 * 86_400_000;
const ROWS_PER_EVENT = 2;
/** Events per statement. */
const AT_ONCE = 5_000;

/**
 * Fills the log with a year of a node's list, up to a moment: events of two fresh rows, each followed by a poll without news.
 * `bare_row` also has the rows alone, for a server without a log.
 */
export async function fillYearOfLists(
  query: Query,
  { node, events, endMs }: { readonly node: string; readonly events: number; readonly endMs: number },
): Promise<void> {
  const stepMs = Math.floor(YEAR_MS / events);
  const startMs = endMs - events * stepMs;
  await query(
    `SELECT ensure_event_partition(month) FROM generate_series(to_timestamp($1), to_timestamp($2) + interval '1 month', '1 month') month`,
    [startMs / 1_000, endMs / 1_000],
  );
  await query('CREATE TABLE bare_row (sequence bigint PRIMARY KEY, text text NOT NULL)');
  for (let from = 0; from < events; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, events - from) }, (_, index) => from + index);
    const written = numbers.flatMap((number) => {
      const at = startMs + number * stepMs;
      const observed = rowsObserved(rowsOf(number, startMs), number * ROWS_PER_EVENT + 1, at);
      const watchedAt = at + Math.floor(stepMs / 2);
      const body = { looks: { submissions: looksAt(watchedAt) } };
      return [observed, { type: 'NodeWatched', observedAt: watchedAt, body } satisfies NewEvent];
    });
    await query(
      `INSERT INTO event (position, stream, version, type, schema, observed_at, recorded_at, body, hash)
       SELECT $1::bigint + n, CASE type WHEN 'NodeWatched' THEN $5 || '/node' ELSE $5 || '/submissions' END,
              ($1::bigint + n + 1) / 2, type, 1, to_timestamp(at / 1000.0), to_timestamp(at / 1000.0), body, ''
         FROM unnest($2::text[], $3::bigint[], $4::json[]) WITH ORDINALITY e (type, at, body, n)`,
      [
        2 * from,
        written.map(({ type }) => type),
        written.map(({ observedAt }) => observedAt),
        written.map(encodeBody),
        node,
      ],
    );
    await query(
      'INSERT INTO bare_row SELECT $1::bigint + n, text FROM unnest($2::text[]) WITH ORDINALITY r (text, n)',
      [from * ROWS_PER_EVENT, numbers.flatMap((number) => rowsOf(number, startMs))],
    );
  }
  await query('UPDATE log_head SET position = 2 * $1::bigint, recorded_at = to_timestamp($2)', [
    events,
    endMs / 1_000,
  ]);
  await query(
    `INSERT INTO stream_head (stream, version, hash) VALUES ($1 || '/submissions', $2, ''), ($1 || '/node', $2, '')`,
    [node, events],
  );
  await query(
    `INSERT INTO availability_interval (node, from_at, state, detail, from_position)
     VALUES ($1, to_timestamp($2), 'AVAILABLE', '', 1)`,
    [node, startMs / 1_000],
  );
}

function rowsOf(event: number, startMs: number): string[] {
  return Array.from(
    { length: ROWS_PER_EVENT },
    (_, index) => submissionAt(1, event * ROWS_PER_EVENT + index, startMs).text,
  );
}
