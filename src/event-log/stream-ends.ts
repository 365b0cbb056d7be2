import type { Database } from '../platform/sql.js';
import type { StreamHeadEntity } from '../tables/log/stream-head.entity.js';

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
