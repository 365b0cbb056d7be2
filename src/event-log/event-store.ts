import type { EventType, RecordedEvent } from '../domain/events.js';
import { type Clock, SystemClock } from '../platform/clock.js';
import type { Database } from '../platform/sql.js';
import type { StreamHeadEntity } from '../tables/log/stream-head.entity.js';
import { AppendHealth } from './append-health.js';
import { Appender } from './appender.js';
import type { Append, AppendResult } from './commit-plan.js';
import { decodeBody, type LoggedEvent, type LogRow, toLoggedEvent, toRecordedEvent } from './logged-event.js';
import { PAGE_BYTES, readPage } from './log-pages.js';
import { LogPartitions } from './log-partitions.js';

/** What is kept of the end of a stream. */
export interface StreamEnd {
  /** 0 for a stream that does not exist. */
  readonly version: bigint;
  /** The observer's; undefined if there is none. */
  readonly state: unknown;
}

interface Waiting {
  readonly stream: string;
  readonly resolve: (end: StreamEnd) => void;
  readonly reject: (error: unknown) => void;
}

/** Bounds one answer of the database. */
const MOST_PER_QUERY = 1_000;

/**
 * Reads the ends of streams. Whoever asks while a query is under way gets the answer of the next one, together with all
 * others who do. So thousands of observers that start at once need one connection, and leave the pool to the appends.
 */
export class StreamEnds {
  private waiting: Waiting[] = [];
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
      // What is asked for in the same breath goes into the first query already.
      await Promise.resolve();
      while (this.waiting.length > 0) await this.readBatch(this.waiting.splice(0, MOST_PER_QUERY));
    } finally {
      this.reading = false;
    }
  }

  private async readBatch(batch: readonly Waiting[]): Promise<void> {
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

/** Positions that the first statement of a reading looks over; each one after it looks over twice as many. */
const FIRST_SPAN = 10_000n;

/** A reading that has taken so long begins no other statement. */
const LOOK_FOR_MS = 1_000;

/** What a store may be given beside the database. */
export interface EventStoreOptions {
  /** Connections for appends alone, so that no reader keeps them waiting; the others when left out. */
  readonly appends?: Database | undefined;
  /** Connections for what observers read of streams; the others when left out. */
  readonly streams?: Database | undefined;
  /** The computer's when left out. */
  readonly clock?: Clock;
}

/**
 * The event log of one database.
 *
 * One store per process: appends that wait for each other's commit go into the next one together.
 * Every append is optimistic. A loser gets `{ won: false }` and spoils nothing for the others.
 */
export class EventStore {
  /** How the appends of this process fare. */
  readonly health: AppendHealth;
  private readonly appender: Appender;
  private readonly streams: Database;
  private readonly ends: StreamEnds;
  private readonly clock: Clock;

  constructor(
    private readonly dataSource: Database,
    { appends = dataSource, streams = dataSource, clock = new SystemClock() }: EventStoreOptions = {},
  ) {
    this.clock = clock;
    this.health = new AppendHealth(clock);
    this.appender = new Appender(appends, new LogPartitions(appends, clock), this.health);
    this.streams = streams;
    this.ends = new StreamEnds(streams);
  }

  /**
   * Appends events to a stream, if its version is still the expected one. Resolves after the commit. Rejects when the
   * database refuses it, fails, or does not answer in time. Then nothing was recorded, unless only the answer to the
   * commit was lost: the stream's version shows that.
   */
  append(append: Append): Promise<AppendResult> {
    return this.appender.append(append);
  }

  /** Version and observer state at the end of a stream; version 0 and no state for one that does not exist. */
  loadStream(stream: string): Promise<StreamEnd> {
    return this.ends.load(stream);
  }

  /**
   * The last events of a stream, newest first; only those of the given types unless none is given. At most `limit` of
   * them, and no more than a page of bytes. But at least one where there is any: only an empty answer says that there
   * are no others.
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
    const { rows } = await readPage(this.streams, selection, limit);
    return rows.map(decode);
  }

  /**
   * The first events of the given types after one position and up to another, in the order of positions.
   * At most `limit` of them, and no more than a page of bytes, but at least one where any was found.
   *
   * Looks for about a second: where the types are rare, it may find nothing and yet not have come to the end.
   *
   * @param source reads them; whoever has a connection gives that, so that it needs no second one while it holds locks
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
        where: 'position > $1 AND position <= $2 AND type = ANY ($3)',
        parameters: [position, end, types],
        key: 'position',
        direction: 'ASC',
      } as const;
      const { rows, bytes, isAll } = await readPage(source, selection, limit - events.length, room);
      for (const row of rows) events.push(toLoggedEvent(row));
      position = isAll ? end : (events.at(-1)?.position ?? end);
      room -= bytes;
      if (!isAll || room <= 0 || this.clock.monotonic() >= until) break;
    }
    return { events, position };
  }

  /** The owners of all streams of a subject: for `node`, the id of every node that was ever watched. */
  async getOwners(subject: string): Promise<string[]> {
    const rows = await this.streams.query<{ owner: string }[]>(
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
