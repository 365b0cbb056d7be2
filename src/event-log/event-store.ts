import type { EventType, RecordedEvent } from '../domain/events.js';
import { DAY_US, formatTime, microsToNanos } from '../domain/time.js';
import { type Clock, SystemClock } from '../platform/clock.js';
import type { Database } from '../platform/sql.js';
import type { StreamHeadEntity } from '../tables/log.entities.js';
import { AppendHealth } from './append-health.js';
import { Appender } from './appender.js';
import type { Append, AppendResult } from './commit-plan.js';
import { decodeBody, type LoggedEvent, type LogRow, toLoggedEvent, toRecordedEvent } from './logged-event.js';
import { PAGE_BYTES, readPage } from './log-pages.js';
import { LogPartitions } from './log-partitions.js';

export interface StreamEnd {
  /** 0 for a stream that does not exist. */
  readonly version: bigint;
  /** The observer's state; undefined if no state is stored. */
  readonly state: unknown;
}

interface PendingRead {
  readonly stream: string;
  readonly resolve: (end: StreamEnd) => void;
  readonly reject: (error: unknown) => void;
}

/** Streams per query; bounds the size of one result. */
const MOST_PER_QUERY = 1_000;

/**
 * Reads the ends of streams. Calls made during a query share the next query. Thousands of observers that start at once thus
 * need one connection, and leave the pool to the appends.
 */
export class StreamEnds {
  private waiting: PendingRead[] = [];
  private reading = false;

  constructor(private readonly dataSource: Database) {}

  load(stream: string): Promise<StreamEnd> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ stream, resolve, reject });
      void this.readWaiting();
    });
  }

  private async readWaiting(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    try {
      // Waits one microtask, so that calls made right after this one share the first query.
      await Promise.resolve();
      while (this.waiting.length > 0) await this.readBatch(this.waiting.splice(0, MOST_PER_QUERY));
    } finally {
      this.reading = false;
    }
  }

  private async readBatch(batch: readonly PendingRead[]): Promise<void> {
    try {
      const rows = await this.dataSource.query<Omit<StreamHeadEntity, 'hash'>[]>(
        'SELECT stream, version, state FROM stream_head WHERE stream = ANY ($1)',
        [batch.map(({ stream }) => stream)],
      );
      const ends = new Map(rows.map((row) => [row.stream, row]));
      for (const { stream, resolve } of batch) {
        const row = ends.get(stream);
        resolve({ version: row?.version ?? 0n, state: row?.state ?? undefined });
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

/** Positions that the first statement of a read scans; each later statement scans twice as many. */
const FIRST_SPAN = 10_000n;

/** The event that bounds the time of reads moves on in steps of this many positions: projections a little behind profit, too. */
const BOUND_STEP = 100_000n;
/** Reads begin this much earlier than their bound: after a failover, the clock of another server may be behind. */
const BOUND_MARGIN_US = DAY_US;

/** A read that has taken this long begins no further statement. */
const LOOK_FOR_MS = 1_000;

export interface EventStoreOptions {
  /** Connections for appends only, so that readers do not keep them waiting; the store's database if left out. */
  readonly appends?: Database | undefined;
  /** The system clock if left out. */
  readonly clock?: Clock;
}

/**
 * The event log of one database.
 *
 * One store per process: appends that wait for a commit go into the next commit together.
 * Every append is optimistic. An append that loses gets `{ won: false }` and does not affect the others.
 */
export class EventStore {
  private readonly ends: StreamEnds;
  private readonly clock: Clock;
  /** An event that was read: those after it were not recorded before it. */
  private bound: Pick<LoggedEvent, 'position' | 'recordedAt'> | undefined;

  constructor(
    private readonly dataSource: Database,
    { appends = dataSource, clock = new SystemClock() }: EventStoreOptions = {},
    private readonly appender = new Appender(
      appends,
      new LogPartitions(appends, clock),
      new AppendHealth(clock),
    ),
  ) {
    this.clock = clock;
    this.ends = new StreamEnds(dataSource);
  }

  get health(): AppendHealth {
    return this.appender.health;
  }

  /** The same log, read over other connections; appends still share their commits. */
  readOver(dataSource: Database): EventStore {
    return new EventStore(dataSource, { clock: this.clock }, this.appender);
  }

  /**
   * Appends events to a stream if its version is still the expected one. Resolves after the commit. Rejects if the database
   * refuses the events, fails, or does not answer in time. In that case nothing was recorded, unless only the answer to the
   * commit was lost: the stream's version shows which.
   */
  append(append: Append): Promise<AppendResult> {
    return this.appender.append(append);
  }

  /** Version and observer state at the end of a stream; version 0 and no state for a stream that does not exist. */
  loadStream(stream: string): Promise<StreamEnd> {
    return this.ends.load(stream);
  }

  /**
   * The last events of a stream, newest first, filtered by type unless `types` is empty. Returns at most `limit` events and no
   * more than a page of bytes, but at least one event if any matches: only an empty result means that there are no more.
   *
   * @param before only events of a smaller version
   */
  async readStreamBack(
    stream: string,
    types: readonly EventType[],
    limit: number,
    before?: bigint,
  ): Promise<RecordedEvent[]> {
    const selection = {
      where: `stream = $1 AND (cardinality($2::text[]) = 0 OR type = ANY ($2))
          AND ($3::bigint IS NULL OR version < $3)`,
      parameters: [stream, types, before ?? null],
      key: 'version',
      direction: 'DESC',
    } as const;
    const { rows } = await readPage(this.dataSource, selection, limit);
    return rows.map(decode);
  }

  /**
   * The first events of the given types after one position and up to another, in the order of positions. Returns at most
   * `limit` events and no more than a page of bytes, but at least one event if any was found.
   *
   * Searches for about a second: if the types are rare, it may find nothing before it reaches the end.
   *
   * @param source runs the queries; callers with a connection pass it, so that they need no second one while they hold locks
   * @returns the events, and the position up to which there are no others
   */
  async readRange(
    after: bigint,
    upTo: bigint,
    types: readonly EventType[],
    limit: number,
    source: Pick<Database, 'query'> = this.dataSource,
  ): Promise<{ events: LoggedEvent[]; position: bigint }> {
    const until = this.clock.monotonic() + LOOK_FOR_MS;
    const events: LoggedEvent[] = [];
    let position = after;
    let room = PAGE_BYTES;
    for (let span = FIRST_SPAN; position < upTo; span *= 2n) {
      const end = position + span < upTo ? position + span : upTo;
      const selection = {
        // The time spares the server the plans for all months before: making them takes longer than the read.
        where: 'position > $1 AND position <= $2 AND type = ANY ($3) AND recorded_at >= $4',
        parameters: [position, end, types, this.earliestAfter(after)],
        key: 'position',
        direction: 'ASC',
      } as const;
      const { rows, bytes, isAll } = await readPage(source, selection, limit - events.length, room);
      for (const row of rows) events.push(toLoggedEvent(row));
      position = isAll ? end : (events.at(-1)?.position ?? end);
      room -= bytes;
      if (!isAll || room <= 0 || this.clock.monotonic() >= until) break;
    }
    this.noteBound(events[0]);
    return { events, position };
  }

  /** A time, as SQL text, before which no event after a position was recorded. */
  private earliestAfter(position: bigint): string {
    if (this.bound === undefined || position < this.bound.position) return '-infinity';
    return formatTime(microsToNanos(this.bound.recordedAt - BOUND_MARGIN_US), 6);
  }

  private noteBound(first: LoggedEvent | undefined): void {
    if (first === undefined) return;
    if (this.bound === undefined || first.position >= this.bound.position + BOUND_STEP)
      this.bound = { position: first.position, recordedAt: first.recordedAt };
  }

  /** The owners of all streams of a subject: for `node`, the id of every node that was ever monitored. */
  async getOwners(subject: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ owner: string }[]>(
      `SELECT left(stream, -length($1) - 1) AS owner FROM stream_head
        WHERE right(stream, length($1) + 1) = '/' || $1 ORDER BY owner`,
      [subject],
    );
    return rows.map((row) => row.owner);
  }

  /** Position of the last event; 0 for an empty log. */
  async lastPosition(): Promise<bigint> {
    const [row] = await this.dataSource.query<{ position: bigint }[]>('SELECT position FROM log_head');
    return row?.position ?? 0n;
  }
}

function decode(row: LogRow): RecordedEvent {
  return toRecordedEvent(row, decodeBody);
}
