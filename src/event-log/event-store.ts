import type { DataSource } from 'typeorm';
import type { EventType, RecordedEvent } from '../domain/events.js';
import { inTransaction, type Query } from '../platform/sql.js';
import { column, unnestRows } from '../platform/unnest-rows.js';
import {
  type Append,
  type AppendResult,
  type CommitPlan,
  encodeAppend,
  type EncodedAppend,
  type Head,
  planCommit,
  type PlannedEvent,
  type PlannedHead,
} from './commit-plan.js';
import { decodeBody } from './event-codec.js';
import { type LogRow, microsToText, SELECT_EVENT, toRecordedEvent } from './log-row.js';
import { type LoggedEvent, toLoggedEvent } from './logged-event.js';
import { type StreamEnd, StreamEnds } from './stream-ends.js';

interface Waiting {
  readonly append: EncodedAppend;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
}

const EVENT_COLUMNS = [
  column('position', 'int8', (event: PlannedEvent) => event.position),
  column('stream', 'text', (event: PlannedEvent) => event.stream),
  column('version', 'int8', (event: PlannedEvent) => event.version),
  column('type', 'text', (event: PlannedEvent) => event.type),
  column('schema', 'int2', (event: PlannedEvent) => event.schema),
  column('observed_at', 'timestamptz', (event: PlannedEvent) => event.observedAt),
  column('body', 'text', (event: PlannedEvent) => event.bodyText),
  column('hash', 'bytea', (event: PlannedEvent) => toHex(event.hash)),
];
const HEAD_COLUMNS = [
  column('stream', 'text', (head: PlannedHead) => head.stream),
  column('version', 'int8', (head: PlannedHead) => head.version),
  column('hash', 'bytea', (head: PlannedHead) => toHex(head.hash)),
  column('state', 'text', (head: PlannedHead) => head.state),
];

/** Stored (compressed) bytes of the bodies that are read at a time, but for a single larger one. */
const PAGE_BYTES = 4_000_000;

/** Bounds how long one commit holds the end of the log. */
const MOST_APPENDS_PER_COMMIT = 500;

/**
 * The event log of one database.
 *
 * One store per process: appends that wait for each other's commit go into the next one together.
 * Every append is optimistic. A loser gets `{ won: false }` and spoils nothing for the others.
 */
export class EventStore {
  private waiting: Waiting[] = [];
  private committing = false;
  private readonly knownMonths = new Set<string>();

  private readonly ends: StreamEnds;

  constructor(private readonly dataSource: DataSource) {
    this.ends = new StreamEnds(dataSource);
  }

  /**
   * Appends events to a stream, if its version is still the expected one.
   * Resolves after the commit; rejects when the database fails, and then nothing was recorded.
   */
  append(append: Append): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ append: encodeAppend(append), resolve, reject });
      void this.commitWaiting();
    });
  }

  /** Version and observer state at the end of a stream; version 0 and no state for one that does not exist. */
  loadStream(stream: string): Promise<StreamEnd> {
    return this.ends.load(stream);
  }

  /**
   * The last events of a stream, newest first; only those of the given types unless none is given.
   *
   * @param before only events of a smaller version
   */
  async readStreamBack(
    stream: string,
    types: readonly EventType[],
    limit: number,
    before?: bigint,
  ): Promise<RecordedEvent[]> {
    const rows = await this.dataSource.query<LogRow[]>(
      `${SELECT_EVENT} WHERE stream = $1 AND (cardinality($2::text[]) = 0 OR type = ANY ($2))
          AND ($4::bigint IS NULL OR version < $4)
       ORDER BY version DESC LIMIT $3`,
      [stream, types, limit, before?.toString() ?? null],
    );
    return rows.map((row) => toRecordedEvent(row, decodeBody));
  }

  /**
   * The first events of the given types after one position and up to another, in the order of positions.
   * At most `limit` of them, and no more than a page of bytes, but at least one where there is any.
   *
   * @returns the events, and the position up to which there are no others
   */
  async readRange(
    after: bigint,
    upTo: bigint,
    types: readonly EventType[],
    limit: number,
  ): Promise<{ events: LoggedEvent[]; position: bigint }> {
    const rows = await this.dataSource.query<(LogRow & { found: string })[]>(
      `SELECT * FROM (
         SELECT page.*, count(*) OVER () AS found,
                sum(stored_bytes) OVER (ORDER BY position) - stored_bytes AS bytes_before
           FROM (${SELECT_EVENT} WHERE position > $1 AND position <= $2 AND type = ANY ($3)
                 ORDER BY position LIMIT $4) page) pages
        WHERE bytes_before < $5 ORDER BY position`,
      [after.toString(), upTo.toString(), types, limit, PAGE_BYTES],
    );
    const events = rows.map(toLoggedEvent);
    const isAll = rows.length === Number(rows[0]?.found ?? 0) && rows.length < limit;
    return { events, position: isAll ? upTo : (events.at(-1)?.position ?? upTo) };
  }

  /** The owners of all streams of a subject: for `node`, the id of every node that was ever watched. */
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
    const [row] = await this.dataSource.query<{ position: string }[]>('SELECT position FROM log_head');
    return BigInt(row?.position ?? 0);
  }

  private async commitWaiting(): Promise<void> {
    if (this.committing) return;
    this.committing = true;
    try {
      while (this.waiting.length > 0) await this.commitNext();
    } finally {
      this.committing = false;
    }
  }

  /** Commits those that wait by the time that the lock is had. */
  private async commitNext(): Promise<void> {
    const batch: Waiting[] = [];
    try {
      await this.commit(() => {
        batch.push(...this.takeWaiting());
        return batch;
      });
    } catch (error) {
      // Without the lock nobody was taken: the failure is that of all who wait.
      if (batch.length === 0) batch.push(...this.takeWaiting());
      if (batch.length === 1) return batch[0]?.reject(error);
      // One append that the database refuses must not take the others with it.
      for (const waiting of batch) await this.commit(() => [waiting]).catch(waiting.reject);
    }
  }

  private takeWaiting(): Waiting[] {
    return this.waiting.splice(0, MOST_APPENDS_PER_COMMIT);
  }

  /** @param take called once, under the lock */
  private async commit(take: () => readonly Waiting[]): Promise<void> {
    let batch: readonly Waiting[] = [];
    const results = await inTransaction(this.dataSource, async (query) => {
      const [end] = await this.lockEnd(query);
      if (!end) throw new Error('log_head is empty: the database was not migrated');
      batch = take();
      const appends = batch.map((waiting) => waiting.append);
      const recordedAt = BigInt(end.recorded_at);
      await this.ensurePartition(query, recordedAt);
      const heads = await this.loadHeads(query, appends);
      const plan = planCommit(appends, heads, BigInt(end.position), recordedAt);
      if (plan.events.length > 0) await this.write(query, plan, recordedAt);
      return plan.results;
    });
    batch.forEach((waiting, index) => waiting.resolve(results[index] ?? { won: false }));
  }

  /** The lock on this row is held until the commit: nobody gets a later position and commits it earlier. */
  private lockEnd(query: Query): Promise<{ position: string; recorded_at: string }[]> {
    return query(
      `SELECT position,
              (extract(epoch FROM greatest(recorded_at, clock_timestamp())) * 1000000)::bigint AS recorded_at
         FROM log_head FOR UPDATE`,
    );
  }

  private async ensurePartition(query: Query, recordedAt: bigint): Promise<void> {
    const text = microsToText(recordedAt);
    const month = text.slice(0, 7);
    if (this.knownMonths.has(month)) return;
    await query('SELECT ensure_event_partition($1)', [text]);
    this.knownMonths.add(month);
  }

  private async loadHeads(query: Query, appends: readonly EncodedAppend[]): Promise<Map<string, Head>> {
    const rows = await query<{ stream: string; version: string; hash: Buffer }>(
      'SELECT stream, version, hash FROM stream_head WHERE stream = ANY ($1)',
      [appends.map((append) => append.stream)],
    );
    return new Map(rows.map((row) => [row.stream, { version: BigInt(row.version), hash: row.hash }]));
  }

  private async write(query: Query, plan: CommitPlan, recordedAt: bigint): Promise<void> {
    const events = unnestRows(EVENT_COLUMNS, plan.events, 'added', 3);
    const heads = unnestRows(HEAD_COLUMNS, plan.heads, 'moved', 3 + EVENT_COLUMNS.length);
    await query(
      `WITH ends AS (
         INSERT INTO stream_head (stream, version, hash, state)
         SELECT stream, version, hash, state::json FROM ${heads.sql}
         ON CONFLICT (stream) DO UPDATE SET version = excluded.version, hash = excluded.hash,
                state = coalesce(excluded.state, stream_head.state)
       ), log_end AS (
         UPDATE log_head SET position = position + $1, recorded_at = $2
       )
       INSERT INTO event (position, stream, version, type, schema, observed_at, body, hash, recorded_at)
       SELECT position, stream, version, type, schema, observed_at, body::json, hash, $2::timestamptz
         FROM ${events.sql}`,
      [plan.events.length, microsToText(recordedAt), ...events.parameters, ...heads.parameters],
    );
  }
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
