import type { EventType, RecordedEvent } from '../domain/events.js';
import type { Micros } from '../domain/time.js';
import { columnsFor } from '../platform/rows/row-columns.js';
import type { QuerySource } from '../platform/sql.js';
import { decodeBody, type LogRow, SELECT_EVENT, toRecordedEvent } from './logged-event.js';
import { findVersions, findVersionsAt } from './stream-versions.js';

/** How many events of a stream are searched: the log has no index by type. */
export const MOST_EVENTS = 2_000n;

/** The end of a stream at a moment: its last event that was observed at or before that moment. */
interface StreamPosition {
  readonly version: bigint;
  readonly position: bigint;
}

/**
 * Undefined before the first event of the stream.
 * @param at by the observer's clock
 */
export async function findPositionAt(
  source: QuerySource,
  stream: string,
  at: Micros,
): Promise<StreamPosition | undefined> {
  const version = (await findVersionsAt(source, [stream], at)).get(stream) ?? 0n;
  const rows = await source.query<StreamPosition[]>(
    'SELECT version, position FROM event WHERE stream = $1 AND version = $2',
    [stream, version],
  );
  return rows[0];
}

/**
 * The last event of a type at or before a place in its stream; undefined if the last {@link MOST_EVENTS} versions have no such
 * event.
 */
export async function findLatestEvent<T extends EventType>(
  source: QuerySource,
  stream: string,
  type: T,
  { version }: StreamPosition,
): Promise<Extract<RecordedEvent, { type: T }> | undefined> {
  const rows = await source.query<LogRow[]>(
    `${SELECT_EVENT} WHERE e.stream = $1 AND e.version <= $2 AND e.version > $3 AND e.type = $4
      ORDER BY e.version DESC LIMIT 1`,
    [stream, version, version - MOST_EVENTS, type],
  );
  return rows.map((row) => toRecordedEvent(row, decodeBody) as Extract<RecordedEvent, { type: T }>)[0];
}

const STREAMS = columnsFor({ stream: 'text', version: 'int8' });

/**
 * The last event of a type of each stream. A stream whose last {@link MOST_EVENTS} versions have no such event is left out.
 * @param past the last moment by the observer's clock, and the last position; everything if left out
 */
export async function findLatestEvents<T extends EventType>(
  source: QuerySource,
  streams: readonly string[],
  type: T,
  past: { readonly at?: Micros | undefined; readonly knownAt?: bigint | undefined },
): Promise<Extract<RecordedEvent, { type: T }>[]> {
  const { at, knownAt } = past;
  const ends = await (at === undefined ? findVersions(source, streams) : findVersionsAt(source, streams, at));
  const asked = STREAMS.unnest(
    [...ends].map(([stream, version]) => ({ stream, version })),
    'asked',
    3,
  );
  const rows = await source.query<LogRow[]>(
    `SELECT e.* FROM ${asked.sql} CROSS JOIN LATERAL (${SELECT_EVENT}
       WHERE e.stream = asked.stream AND e.version <= asked.version AND e.version > asked.version - ${MOST_EVENTS}
         AND e.type = $1 AND ($2::bigint IS NULL OR e.position <= $2) ORDER BY e.version DESC LIMIT 1) e`,
    [type, knownAt ?? null, ...asked.parameters],
  );
  return rows.map((row) => toRecordedEvent(row, decodeBody) as Extract<RecordedEvent, { type: T }>);
}

/**
 * The first event of a type after a version of its stream; undefined if the next {@link MOST_EVENTS} versions have no such
 * event.
 */
export async function findNextEvent<T extends EventType>(
  source: QuerySource,
  stream: string,
  type: T,
  version: bigint,
): Promise<Extract<RecordedEvent, { type: T }> | undefined> {
  const rows = await source.query<LogRow[]>(
    `${SELECT_EVENT} WHERE e.stream = $1 AND e.version > $2 AND e.version <= $3 AND e.type = $4
      ORDER BY e.version LIMIT 1`,
    [stream, version, version + MOST_EVENTS, type],
  );
  return rows.map((row) => toRecordedEvent(row, decodeBody) as Extract<RecordedEvent, { type: T }>)[0];
}

export async function findEvent(source: QuerySource, position: bigint): Promise<RecordedEvent | undefined> {
  const rows = await source.query<LogRow[]>(`${SELECT_EVENT} WHERE e.position = $1`, [position]);
  return rows.map((row) => toRecordedEvent(row, decodeBody))[0];
}
