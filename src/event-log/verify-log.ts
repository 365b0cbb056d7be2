import type { DataSource } from 'typeorm';
import { FIRST_HASH, hashEvent } from '../domain/hash-chain.js';
import { inTransaction, type Query } from '../platform/sql.js';
import { type LogRow, SELECT_EVENT } from './log-row.js';

/** What a walk over the log found. */
export interface Verification {
  readonly events: number;
  readonly streams: number;
  /** The first event that is not as it was recorded; undefined when all are. */
  readonly fault?: LogFault;
}

/** The first place where the log contradicts itself. */
interface LogFault {
  readonly position: bigint;
  readonly stream: string;
  readonly version: bigint;
  readonly what: string;
}

interface Tail {
  readonly version: bigint;
  readonly hash: Uint8Array;
}

/** A body can have tens of megabytes. */
const BATCH_SIZE = 100;

/**
 * Walks the hash chains of all streams, in the order of positions, on one snapshot of the database:
 * it may run beside a service that goes on recording.
 *
 * Found are changed, removed and inserted events, also at the end of a stream (its head tells where it ended).
 *
 * @param onProgress told the number of events checked, after each batch
 */
export function verifyLog(
  dataSource: DataSource,
  onProgress: (events: number) => void,
): Promise<Verification> {
  return inTransaction(dataSource, async (query) => {
    await query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const walk = new LogWalk();
    for (;;) {
      const rows = await query<LogRow>(`${SELECT_EVENT} WHERE position > $1 ORDER BY position LIMIT $2`, [
        walk.position.toString(),
        BATCH_SIZE,
      ]);
      for (const row of rows) {
        const fault = walk.check(row);
        if (fault) return { events: walk.events, streams: walk.tails.size, fault };
      }
      onProgress(walk.events);
      if (rows.length < BATCH_SIZE) break;
    }
    const fault = await checkHeads(query, walk);
    return { events: walk.events, streams: walk.tails.size, ...(fault ? { fault } : {}) };
  });
}

class LogWalk {
  position = 0n;
  events = 0;
  readonly tails = new Map<string, Tail>();
  private recordedAt = 0n;

  check(row: LogRow): LogFault | undefined {
    const { stream } = row;
    const tail = this.tails.get(stream) ?? { version: 0n, hash: FIRST_HASH };
    const position = BigInt(row.position);
    const version = BigInt(row.version);
    const recordedAt = BigInt(row.recorded_at);
    const fault = (what: string): LogFault => ({ position, stream, version, what });
    if (position !== this.position + 1n) return fault(`position ${this.position + 1n} is missing before it`);
    if (version !== tail.version + 1n)
      return fault(`version ${tail.version + 1n} of its stream is missing before it`);
    if (recordedAt < this.recordedAt)
      return fault('it claims to be recorded before the event in front of it');
    const hash = hashEvent(tail.hash, {
      position,
      stream,
      version,
      type: row.type,
      schema: row.schema,
      observedAt: BigInt(row.observed_at),
      recordedAt,
      bodyText: row.body,
    });
    if (!row.hash.equals(hash))
      return fault('its hash does not fit its content and the event before it in its stream');
    this.tails.set(stream, { version, hash });
    this.position = position;
    this.recordedAt = recordedAt;
    this.events += 1;
    return undefined;
  }
}

async function checkHeads(query: Query, walk: LogWalk): Promise<LogFault | undefined> {
  const [end] = await query<{ position: string }>('SELECT position FROM log_head');
  const heads = await query<{ stream: string; version: string; hash: Buffer }>(
    'SELECT stream, version, hash FROM stream_head ORDER BY stream',
  );
  for (const { stream, version, hash } of heads) {
    const tail = walk.tails.get(stream);
    if (tail?.version === BigInt(version) && hash.equals(tail.hash)) continue;
    const next = (tail?.version ?? 0n) + 1n;
    return {
      position: walk.position,
      stream,
      version: next,
      what: `the stream ended at version ${version}; what followed is gone`,
    };
  }
  if (BigInt(end?.position ?? 0) !== walk.position) {
    const what = `the log ended at position ${end?.position}; what followed is gone`;
    return { position: walk.position + 1n, stream: '', version: 0n, what };
  }
  return undefined;
}
