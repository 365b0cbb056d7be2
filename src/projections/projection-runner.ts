import type { DataSource } from 'typeorm';
import type { EventStore } from '../event-log/event-store.js';
import { inTransaction, type Query } from '../platform/sql.js';
import type { Projection } from './projection.js';

/** Events that one transaction applies at most. */
const BATCH_SIZE = 2_000;

/**
 * Moves projections along the log: each reads on from its own checkpoint, and rows and checkpoint move in
 * one transaction. Several processes may run the same projection; the checkpoint's row lock lets one at a time.
 */
export class ProjectionRunner {
  constructor(
    private readonly dataSource: DataSource,
    private readonly store: EventStore,
    /** Where the projection's tables are: the default schema, or one that a rebuild fills. */
    private readonly schema?: string,
    private readonly batchSize: number = BATCH_SIZE,
  ) {}

  /**
   * Applies what is new in the log, up to a position.
   *
   * @param goOn told the position reached after each batch; false ends the run early
   */
  async catchUp(
    projection: Projection,
    end: bigint,
    goOn: (position: bigint) => boolean = () => true,
  ): Promise<void> {
    for (;;) {
      const position = await this.applyBatch(projection, end);
      if (!goOn(position) || position >= end) return;
    }
  }

  private async applyBatch(projection: Projection, end: bigint): Promise<bigint> {
    try {
      return await inTransaction(this.dataSource, async (query) => {
        if (this.schema) await query(`SET LOCAL search_path TO "${this.schema}", public`);
        const from = await lockCheckpoint(query, projection.name);
        if (from >= end) return from;
        const events = await this.store.readRange(from, end, projection.handles, this.batchSize);
        if (events.length > 0) await projection.apply(events, query);
        const last = events.length < this.batchSize ? end : (events.at(-1)?.position ?? end);
        await query('UPDATE projection SET position = $2 WHERE name = $1', [
          projection.name,
          last.toString(),
        ]);
        return last;
      });
    } catch (error) {
      projection.reset?.();
      throw error;
    }
  }
}

async function lockCheckpoint(query: Query, name: string): Promise<bigint> {
  const select = 'SELECT position FROM projection WHERE name = $1 FOR UPDATE';
  let [row] = await query<{ position: string }>(select, [name]);
  if (!row) {
    await query('INSERT INTO projection (name, position) VALUES ($1, 0) ON CONFLICT DO NOTHING', [name]);
    [row] = await query<{ position: string }>(select, [name]);
  }
  return BigInt(row?.position ?? 0);
}
