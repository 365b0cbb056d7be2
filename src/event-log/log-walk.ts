import type { Clock } from '../platform/clock.js';
import type { Database } from '../platform/sql.js';
import type { EventEntity } from '../tables/log.entities.js';
import { EVENT_HEAD } from './logged-event.js';
import { lastVersions } from './stream-versions.js';

export type EventHead = Omit<EventEntity, 'body'>;

export interface LogQuestion {
  /** Undefined for all streams. */
  readonly streams: readonly string[] | undefined;
  /** Undefined for all types. */
  readonly types: readonly string[] | undefined;
  /** Only events after this position, up to and including `upTo`. */
  readonly after: bigint;
  readonly upTo: bigint;
}

export interface WalkedLog {
  readonly heads: readonly EventHead[];
  /** How far the walk came: there are no other matches up to this position or, on a backward walk, after it. */
  readonly position: bigint;
}

type ScanDirection = 'FORWARDS' | 'BACKWARDS';

/** A walk that has taken this long begins no further statement. */
const WALK_FOR_MS = 1_000;
/** Positions, or versions of all streams together, that the first statement scans; each later statement scans twice as many. */
const FIRST_SPAN = 10_000n;
/** Above this number of streams, scanning the whole log is faster than reading each stream. */
const MOST_STREAMS = 300;

const OF_TYPES = '($3::text[] IS NULL OR e.type = ANY ($3))';

/** Scans the next part of the requested range; returns the events in that part and where it ends. */
type ScanStep = (question: LogQuestion, span: bigint, limit: number) => Promise<WalkedLog>;

/**
 * The first matching events in the order of positions; backwards, the last ones in reverse order. The log is indexed by
 * position and by stream, not by type. If the types are rare, the walk stops after about a second. It may then have found
 * nothing without having reached the end.
 */
export async function walkLog(
  source: Pick<Database, 'query'>,
  clock: Pick<Clock, 'monotonic'>,
  question: LogQuestion,
  limit: number,
  way: ScanDirection = 'FORWARDS',
): Promise<WalkedLog> {
  const until = clock.monotonic() + WALK_FOR_MS;
  const { streams } = question;
  const step: ScanStep =
    streams !== undefined && streams.length <= MOST_STREAMS
      ? stepByStream(source, way)
      : stepByPosition(source, way);
  const heads: EventHead[] = [];
  let left = question;
  for (let span = FIRST_SPAN; left.after < left.upTo && heads.length < limit; span *= 2n) {
    const found = await step(left, span, limit - heads.length);
    for (const head of found.heads) heads.push(head);
    left = way === 'FORWARDS' ? { ...left, after: found.position } : { ...left, upTo: found.position };
    if (clock.monotonic() >= until) break;
  }
  return { heads, position: way === 'FORWARDS' ? left.after : left.upTo };
}

/** A step ends at the last event within the limit, else at the end of its span. */
function endOf(heads: readonly EventHead[], limit: number, end: bigint, way: ScanDirection): WalkedLog {
  const last = heads.at(-1);
  if (last === undefined || heads.length < limit) return { heads, position: end };
  return { heads, position: way === 'FORWARDS' ? last.position : last.position - 1n };
}

function stepByPosition(source: Pick<Database, 'query'>, way: ScanDirection): ScanStep {
  return async ({ streams, types, after, upTo }, span, limit) => {
    const isForwards = way === 'FORWARDS';
    const low = isForwards || upTo - span < after ? after : upTo - span;
    const high = isForwards && after + span < upTo ? after + span : upTo;
    const heads = await source.query<EventHead[]>(
      `SELECT ${EVENT_HEAD} FROM event e
        WHERE e.position > $1 AND e.position <= $2 AND ${OF_TYPES} AND ($4::text[] IS NULL OR e.stream = ANY ($4))
        ORDER BY e.position ${isForwards ? 'ASC' : 'DESC'} LIMIT $5`,
      [low, high, types ?? null, streams ?? null, limit],
    );
    return endOf(heads, limit, isForwards ? high : low, way);
  };
}

/**
 * SQL by direction: where a step begins in each stream, and how far it scans. `reached` is the position up to which the scan is
 * complete in all streams.
 */
const BY_STREAM: Readonly<
  Record<ScanDirection, { versions: string; end: string; range: string; reached: string; order: string }>
> = {
  FORWARDS: {
    versions: lastVersions('$4::text[]', 'e.position <= $1'),
    end: 'p.low + $6',
    reached: 'least(min(e.position), $2)',
    range: 'e.version > p.low AND e.version <= p.low + $6 AND e.position <= r.position',
    order: 'ASC',
  },
  BACKWARDS: {
    versions: lastVersions('$4::text[]', 'e.position <= $2'),
    end: 'p.low - $6',
    reached: 'greatest(max(e.position), $1)',
    range: 'e.version <= p.low AND e.version > p.low - $6 AND e.position > r.position',
    order: 'DESC',
  },
};

function stepByStream(source: Pick<Database, 'query'>, way: ScanDirection): ScanStep {
  const { versions, end, reached, range, order } = BY_STREAM[way];
  return async ({ streams = [], types, after, upTo }, span, limit) => {
    const each = span / BigInt(Math.max(streams.length, 1)) + 1n;
    const rows = await source.query<(EventHead & { readonly end: bigint })[]>(
      `WITH ${versions},
            reached AS (
              SELECT ${reached} AS position FROM part p CROSS JOIN LATERAL (
                     SELECT e.position FROM event e WHERE e.stream = p.stream AND e.version = ${end} LIMIT 1) e),
            found AS (
              SELECT e.* FROM part p CROSS JOIN reached r CROSS JOIN LATERAL (
                     SELECT ${EVENT_HEAD} FROM event e
                      WHERE e.stream = p.stream AND ${range} AND ${OF_TYPES}
                      ORDER BY e.version ${order} LIMIT $5) e
               ORDER BY e.position ${order} LIMIT $5)
       SELECT found.*, r.position AS end FROM reached r LEFT JOIN found ON true ORDER BY found.position ${order}`,
      [after, upTo, types ?? null, streams, limit, each],
    );
    // Without a match there is still one row, which has only the end.
    const heads = rows.filter(({ stream }) => stream !== null);
    return endOf(heads, limit, rows[0]?.end ?? (way === 'FORWARDS' ? upTo : after), way);
  };
}
