import { formatTime, microsToNanos } from '../domain/time.js';
import { codeOf } from '../platform/errors.js';
import { type Database, inTransaction, type Query } from '../platform/sql.js';
import { columnsOf, selectList } from '../platform/rows/row-columns.js';
import { EventEntity, type LogHeadEntity, StreamHeadEntity } from '../tables/log.entities.js';
import type { AppendHealth } from './append-health.js';
import {
  type Append,
  type AppendResult,
  type CommitPlan,
  encodeAppend,
  type EncodedAppend,
  type Head,
  planCommit,
} from './commit-plan.js';
import type { LogPartitions } from './log-partitions.js';

interface QueuedAppend {
  readonly append: EncodedAppend;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Bodies and states are sent as text, unchanged. */
const EVENT_COLUMNS = columnsOf(
  EventEntity,
  'position',
  'stream',
  'version',
  'type',
  'schema',
  'observedAt',
  'hash',
).and({ bodyText: 'text' });
const HEAD_COLUMNS = columnsOf(StreamHeadEntity, 'stream', 'version', 'hash').and({ state: 'text' });

const HEADS = `SELECT ${selectList(StreamHeadEntity, 'h', ['stream', 'version', 'hash'])} FROM stream_head h
  WHERE stream = ANY ($1)`;

/** Bounds how long one commit locks the end of the log. */
const MOST_APPENDS_PER_COMMIT = 500;

/** How often one commit may find its month without a partition: the month may change, or its partition be removed, meanwhile. */
const MONTHS_PER_COMMIT = 3;

/** SQLSTATE classes of errors in the data itself: data exception, constraint violation, program limit exceeded. */
const ABOUT_THE_DATA = new Set(['22', '23', '54']);
const TOOK_TOO_LONG = '57014';

/**
 * Writes appends to the end of the log, one commit after the other. Appends that arrive during a commit go into the next commit
 * together.
 */
export class Appender {
  private waiting: QueuedAppend[] = [];
  private committing = false;

  constructor(
    private readonly dataSource: Database,
    private readonly partitions: LogPartitions,
    readonly health: AppendHealth,
  ) {}

  append(append: Append): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ append: encodeAppend(append), resolve, reject });
      void this.commitWaiting();
    });
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

  /** Commits the appends that are waiting when the lock is acquired. */
  private async commitNext(): Promise<void> {
    let batch: readonly QueuedAppend[] = [];
    try {
      await this.commit(() => (batch = this.takeWaiting()));
    } catch (error) {
      // Without the lock no append was taken, so the failure affects all that are waiting.
      if (batch.length === 0) batch = this.takeWaiting();
      if (batch.length > 1 && mayBeOfOne(error)) return this.commitOneByOne(batch);
      for (const { reject } of batch) reject(error);
    }
  }

  /**
   * One append that the database refuses must not make the others fail. Any other failure of the database would repeat for each
   * append, and five hundred timeouts take an hour.
   */
  private async commitOneByOne(batch: readonly QueuedAppend[]): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    for (const waiting of batch) {
      if (failure) {
        waiting.reject(failure.error);
        continue;
      }
      try {
        await this.commit(() => [waiting]);
      } catch (error) {
        waiting.reject(error);
        if (!isAboutTheData(error)) failure = { error };
      }
    }
  }

  private takeWaiting(): QueuedAppend[] {
    return this.waiting.splice(0, MOST_APPENDS_PER_COMMIT);
  }

  /** @param take called at most once, under the lock */
  private async commit(take: () => readonly QueuedAppend[]): Promise<void> {
    this.health.began();
    try {
      for (let months = 1; ; months += 1) {
        const outcome = await this.tryCommit(take);
        if (typeof outcome !== 'string') {
          this.health.committed();
          outcome();
          return;
        }
        if (months === MONTHS_PER_COMMIT) throw new Error(`the log has no partition for ${outcome}`);
        await this.partitions.ensure(outcome);
      }
    } catch (error) {
      this.partitions.forget();
      this.health.failed(error);
      throw error;
    }
  }

  /**
   * @returns a function that resolves the waiting appends; or the time of the commit, if its month is not known to have a
   * partition. In that case nothing was taken or written
   */
  private async tryCommit(take: () => readonly QueuedAppend[]): Promise<(() => void) | string> {
    let batch: readonly QueuedAppend[] = [];
    const results = await inTransaction(this.dataSource, async (query) => {
      const [end] = await lockEnd(query);
      if (!end)
        throw new Error('log_head is empty: a restore is not finished, or the database was not migrated');
      const { position, recordedAt } = end;
      const time = formatTime(microsToNanos(recordedAt), 6);
      if (!this.partitions.isKnown(time)) return time;
      batch = take();
      const appends = batch.map((waiting) => waiting.append);
      const heads = await loadHeads(query, appends);
      const plan = planCommit(appends, heads, position, recordedAt);
      if (plan.events.length > 0) await write(query, plan, time);
      return plan.results;
    });
    if (typeof results === 'string') return results;
    return () => batch.forEach((waiting, index) => waiting.resolve(results[index] ?? { won: false }));
  }
}

/** This row stays locked until the commit, so no other transaction can get a later position and commit it earlier. */
function lockEnd(query: Query): Promise<Pick<LogHeadEntity, 'position' | 'recordedAt'>[]> {
  return query(
    'SELECT position, greatest(recorded_at, clock_timestamp()) AS "recordedAt" FROM log_head FOR UPDATE',
  );
}

async function loadHeads(query: Query, appends: readonly EncodedAppend[]): Promise<Map<string, Head>> {
  const rows = await query<Head & { readonly stream: string }>(HEADS, [appends.map(({ stream }) => stream)]);
  return new Map(rows.map((row) => [row.stream, row]));
}

/** @param recordedAt ISO text in UTC */
async function write(query: Query, plan: CommitPlan, recordedAt: string): Promise<void> {
  const events = EVENT_COLUMNS.unnest(plan.events, 'added', 3);
  const heads = HEAD_COLUMNS.unnest(plan.heads, 'moved', 3 + EVENT_COLUMNS.count);
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
     SELECT position, stream, version, type, schema, observed_at, body_text::json, hash, $2::timestamptz
       FROM ${events.sql}`,
    [plan.events.length, recordedAt, ...events.parameters, ...heads.parameters],
  );
}

/** Whether committing the appends of a batch one by one may help. */
function mayBeOfOne(error: unknown): boolean {
  return isAboutTheData(error) || codeOf(error) === TOOK_TOO_LONG;
}

/** A row without a partition counts too; the next try makes the partition. */
function isAboutTheData(error: unknown): boolean {
  return ABOUT_THE_DATA.has(codeOf(error)?.slice(0, 2) ?? '');
}
