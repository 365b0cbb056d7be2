import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient, QueryResult } from 'pg';
import type { TimedClient } from '../timed-client.js';

/** A connection of the readers' pool, and the process of the server that works for it. */
export interface PooledConnection {
  readonly client: PoolClient & TimedClient;
  readonly serverPid: number;
}

/** A cancellation may come before the statement that it is for: it is repeated after this time. */
const CANCEL_AGAIN_MS = 200;

/** Then the connection is closed: the server finds out by itself that nobody waits. */
const MOST_CANCELS = 5;

const ROLLBACK = /^\s*ROLLBACK\b/i;

/** A connection while it is lent to one question. What runs on it can be ended from outside, and leaves nothing behind. */
export class LentConnection {
  private reason: Error | undefined;
  private running: Promise<unknown> | undefined;
  private stopping: Promise<void> | undefined;

  /**
   * @param cancel makes the server end the statement of that process; resolves once it knows
   * @param onReturn called once the pool has the connection again
   */
  constructor(
    private readonly connection: PooledConnection,
    private readonly cancel: (serverPid: number) => Promise<void>,
    private readonly onReturn: () => void,
  ) {}

  /** Runs a statement; of an interrupted question only the end of its transaction. */
  async query(sql: string, parameters: unknown[]): Promise<QueryResult> {
    await this.stopping;
    if (this.reason !== undefined && !ROLLBACK.test(sql)) throw this.reason;
    const running = this.connection.client.query(sql, parameters);
    this.running = running;
    try {
      return await running;
    } catch (error) {
      throw this.reason ?? error;
    } finally {
      this.running = undefined;
    }
  }

  /** Ends the statement that runs and refuses those after it, with `reason`. */
  interrupt(reason: Error): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    if (this.running !== undefined) this.stopping = this.stop(this.running);
  }

  /** Closes the connection, whatever runs on it. */
  async abandon(): Promise<void> {
    await this.connection.client.end().catch(() => undefined);
  }

  /** Gives it back to its pool once no cancellation is on its way to it; one with an open transaction is closed instead. */
  async giveBack(): Promise<void> {
    await this.stopping;
    const { client } = this.connection;
    client.release(client.getTransactionStatus() !== 'I');
    this.onReturn();
  }

  private async stop(running: Promise<unknown>): Promise<void> {
    const over = running.catch(() => undefined);
    for (let tries = 0; this.running === running && tries < MOST_CANCELS; tries += 1) {
      await this.cancel(this.connection.serverPid).catch(() => undefined);
      await Promise.race([over, sleep(CANCEL_AGAIN_MS)]);
    }
    if (this.running === running) void this.abandon();
  }
}
