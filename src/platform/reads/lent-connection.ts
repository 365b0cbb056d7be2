import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient, QueryResult } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { TimedClient } from '../timed-client.js';

export type PooledClient = PoolClient & TimedClient;

/** A cancellation may arrive before its statement, so it is repeated after this time. */
const CANCEL_AGAIN_MS = 200;

/** Cancellations before the connection is closed; the server then notices by itself that nobody waits. */
const MOST_CANCELS = 5;

/** Longest COPY, which otherwise takes as long as its client needs. */
const COPY_MS = 3_600_000;
const GIVE_COPY_TIME = `SELECT set_config('statement_timeout', '${COPY_MS}', false)`;

const ROLLBACK = /^\s*ROLLBACK\b/i;

/** A connection lent to one query. Its statements can be ended from outside, and leave nothing behind. */
export class LentConnection {
  private reason: Error | undefined;
  private running: Promise<unknown> | undefined;
  private stopping: Promise<void> | undefined;
  private copying: Readable | undefined;
  private isSpent = false;

  /**
   * @param cancel makes the server end the statement of the connection; resolves once the server has the order
   * @param explain the error for the caller, instead of that of the driver
   * @param onReturn called once the pool has the connection again
   */
  constructor(
    /** Identifies the connection of the pool. */
    readonly client: PooledClient,
    private readonly cancel: () => Promise<unknown>,
    private readonly explain: (error: unknown) => unknown,
    private readonly onReturn: () => void,
  ) {}

  /** Whether a COPY runs, after which the connection returns itself to the pool. */
  get isCopying(): boolean {
    return this.copying !== undefined;
  }

  /**
   * Runs a statement; after an interruption, only a ROLLBACK.
   * @param name under which the server keeps its plan
   */
  async query(sql: string, parameters: unknown[], name?: string): Promise<QueryResult> {
    await this.stopping;
    if (this.reason !== undefined && !ROLLBACK.test(sql)) throw this.reason;
    const running =
      name === undefined
        ? this.client.query(sql, parameters)
        : this.client.query({ name, text: sql, values: parameters });
    this.running = running;
    try {
      return await running;
    } catch (error) {
      throw this.reason ?? this.explain(error);
    } finally {
      this.running = undefined;
    }
  }

  /**
   * Runs `COPY … TO STDOUT`, which takes no parameters. Resolves at the first bytes, so that errors of the server reject. The
   * server works no further ahead than the stream is read. When the stream ends, complete or not, the connection returns itself
   * to the pool.
   */
  async copyOut(sql: string): Promise<Readable> {
    // No other query may get this time limit.
    this.spend();
    await this.query(GIVE_COPY_TIME, []);
    if (this.reason !== undefined) throw this.reason;
    const stream = this.client.query(copyTo(sql));
    const timer = setTimeout(() => stream.destroy(new Error('a copy took too long')), COPY_MS);
    this.copying = stream;
    stream.once('close', () => {
      clearTimeout(timer);
      void this.endCopy(stream);
    });
    // An error of the server does not end the stream by itself.
    stream.on('error', () => stream.destroy());
    await once(stream, 'readable').catch((error: unknown) => Promise.reject(this.explain(error)));
    return stream;
  }

  /** Ends the running statement and rejects later ones, with `reason`. */
  interrupt(reason: Error): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.copying?.destroy(reason);
    if (this.running !== undefined) this.stopping = this.stop(this.running);
  }

  /** Marks the connection for replacement when it returns to the pool. */
  spend(): void {
    this.isSpent = true;
  }

  /** Closes the connection, whatever runs on it. */
  async abandon(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }

  /**
   * Returns the connection to its pool once no cancellation is on its way to it; with an open transaction it is closed instead.
   */
  async giveBack(): Promise<void> {
    await this.stopping;
    this.client.release(this.isSpent || this.client.getTransactionStatus() !== 'I');
    this.onReturn();
  }

  /** Ends a COPY that was not read to its end: its rest would come before the answer to the next query. */
  private async endCopy(stream: Readable): Promise<void> {
    if (!stream.readableEnded) await this.cancel().catch(() => undefined);
    await this.giveBack();
  }

  private async stop(running: Promise<unknown>): Promise<void> {
    const over = running.catch(() => undefined);
    for (let tries = 0; this.running === running && tries < MOST_CANCELS; tries += 1) {
      await this.cancel().catch(() => undefined);
      await Promise.race([over, sleep(CANCEL_AGAIN_MS)]);
    }
    if (this.running === running) void this.abandon();
  }
}
