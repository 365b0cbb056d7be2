import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient, QueryResult } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { TAKE_TIME_BACK, type TimedClient } from '../timed-client.js';

/** A connection of the readers' pool, and the process of the server that works for it. */
export interface PooledConnection {
  readonly client: PoolClient & TimedClient;
  readonly serverPid: number;
}

/** A cancellation may come before the statement that it is for: it is repeated after this time. */
const CANCEL_AGAIN_MS = 200;

/** Then the connection is closed: the server finds out by itself that nobody waits. */
const MOST_CANCELS = 5;

/** Rows that are copied out take as long as their client needs for them, but not longer than this. */
const COPY_MS = 3_600_000;
const GIVE_COPY_TIME = `SELECT set_config('statement_timeout', '${COPY_MS}', false)`;

const ROLLBACK = /^\s*ROLLBACK\b/i;

/** A connection while it is lent to one question. What runs on it can be ended from outside, and leaves nothing behind. */
export class LentConnection {
  private reason: Error | undefined;
  private running: Promise<unknown> | undefined;
  private stopping: Promise<void> | undefined;
  private copying: Readable | undefined;
  private isSpent = false;

  /**
   * @param cancel makes the server end the statement of that process; resolves once it knows
   * @param onReturn called once the pool has the connection again
   */
  constructor(
    private readonly connection: PooledConnection,
    private readonly cancel: (serverPid: number) => Promise<void>,
    private readonly onReturn: () => void,
  ) {}

  /** Which connection of the pool it is. */
  get client(): object {
    return this.connection.client;
  }

  /** Whether rows are copied out, so that it gives itself back. */
  get isCopying(): boolean {
    return this.copying !== undefined;
  }

  /**
   * Runs a statement; of an interrupted question only the end of its transaction.
   * @param name under which the server keeps its plan
   */
  async query(sql: string, parameters: unknown[], name?: string): Promise<QueryResult> {
    await this.stopping;
    if (this.reason !== undefined && !ROLLBACK.test(sql)) throw this.reason;
    const { client } = this.connection;
    const running =
      name === undefined
        ? client.query(sql, parameters)
        : client.query({ name, text: sql, values: parameters });
    this.running = running;
    try {
      return await running;
    } catch (error) {
      throw this.reason ?? error;
    } finally {
      this.running = undefined;
    }
  }

  /**
   * Runs `COPY … TO STDOUT`, which takes no parameters. Resolves when its first bytes are there. So what the server
   * refuses is told by a rejection. The server works no further ahead than the stream is read. With the end of the
   * stream, whole or not, the connection gives itself back.
   */
  async copyOut(sql: string): Promise<Readable> {
    await this.query(GIVE_COPY_TIME, []);
    if (this.reason !== undefined) {
      // Nobody else is to have that much time.
      await this.abandon();
      throw this.reason;
    }
    const stream = this.connection.client.query(copyTo(sql));
    const timer = setTimeout(() => stream.destroy(new Error('a copy took too long')), COPY_MS);
    this.copying = stream;
    stream.once('close', () => {
      clearTimeout(timer);
      void this.endCopy(stream);
    });
    // What the server says goes past the stream's own end.
    stream.on('error', () => stream.destroy());
    await once(stream, 'readable');
    return stream;
  }

  /** Ends the statement that runs and refuses those after it, with `reason`. */
  interrupt(reason: Error): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.copying?.destroy(reason);
    if (this.running !== undefined) this.stopping = this.stop(this.running);
  }

  /** Another connection is to take its place in the pool. */
  spend(): void {
    this.isSpent = true;
  }

  /** Closes the connection, whatever runs on it. */
  async abandon(): Promise<void> {
    await this.connection.client.end().catch(() => undefined);
  }

  /** Gives it back to its pool once no cancellation is on its way to it; one with an open transaction is closed instead. */
  async giveBack(): Promise<void> {
    await this.stopping;
    const { client } = this.connection;
    client.release(this.isSpent || client.getTransactionStatus() !== 'I');
    this.onReturn();
  }

  /** Of a copy that was not read to its end, what is left stands between us and the next answer: the connection goes. */
  private async endCopy(stream: Readable): Promise<void> {
    if (stream.readableEnded) {
      await this.connection.client.query(TAKE_TIME_BACK).catch(() => this.abandon());
    } else {
      await this.cancel(this.connection.serverPid).catch(() => undefined);
      await this.abandon();
    }
    await this.giveBack();
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
