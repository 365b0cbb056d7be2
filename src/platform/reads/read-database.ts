import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, Pool, type PoolClient, type PoolConfig } from 'pg';
import { limitClient, type DatabaseLimits } from '../database.js';
import { addCounts, countPool, type ConnectionCounts } from '../connection-counts.js';
import { codeOf, messageOf } from '../errors.js';
import { repeatOnce } from '../lost-statements.js';
import type { StatementRunner, Database } from '../sql.js';
import { TimedClient, type TimedClientConfig } from '../timed-client.js';
import { TextBudget } from './text-budget.js';
import { PreparedStatements } from './prepared-statements.js';
import { LentConnection, type PooledClient } from './lent-connection.js';
import { ReadRefused } from './read-refused.js';
import { ReadRequest } from './read-request.js';

export interface ReadDatabaseSettings {
  readonly url: string;
  /** Whether it is another server than the one that is written to. */
  readonly isReplica: boolean;
  /** Connections for queries. One more is spare: it cancels, and asks a replica how far it is. */
  readonly poolSize: number;
  /** Time limit of a statement; 10 s when left out. */
  readonly statementMs?: number;
  /** Budget in bytes for the large texts of all requests; that of {@link TextBudget} when left out. */
  readonly roomForTexts?: number | undefined;
}

/** A query that takes longer should be written differently; computing between two statements takes less. */
const LIMITS: DatabaseLimits = { statementMs: 10_000, idleInTransactionMs: 10_000 };

/** Most statements that wait for a connection, and for how long; also the time limit for opening a connection. */
const MOST_WAITING = 60;
const WAIT_MS = 3_000;

/** Short, because a connection is not used again before its cancellation is through. */
const SPARE_LIMITS: DatabaseLimits = { statementMs: 2_000, idleInTransactionMs: 2_000 };

/** Milliseconds from interrupting all statements to closing their connections; no wait once they have ended. */
const CLOSE_PATIENCE_MS = 1_000;
const UNHELD = { ref: false };

/** SQLSTATE `too_many_connections`. */
const SERVER_FULL = '53300';

/** SQLSTATEs of a server that shuts down, or of a broken connection. */
const LOST_CODES = /^(?:08|57P)/;

const FULL = 'Too many queries at once; try again in a moment.';

/** The pool's error when no connection became free in time. */
const WAITED = /^timeout exceeded when trying to connect/;

/**
 * The database for client queries, separate from recording and projecting. It has a few read-only connections of its own. Each
 * statement ends after 10 s, and the statements of a request end with it (see {@link ReadRequest}).
 *
 * It connects at the first query, and again after every failure: a server that is away makes queries fail, and nothing else.
 */
export class ReadDatabase implements Database {
  private readonly pool: Pool;
  private readonly spare: Pool;
  private readonly pids = new WeakMap<PoolClient, number>();
  private readonly plans = new PreparedStatements();
  private readonly texts: TextBudget;
  private readonly lent = new Set<LentConnection>();
  private closing: ReadRefused | undefined;
  private closed: Promise<void> | undefined;

  constructor(private readonly settings: ReadDatabaseSettings) {
    const { poolSize, statementMs = LIMITS.statementMs, roomForTexts } = settings;
    this.texts = new TextBudget(roomForTexts);
    this.pool = this.createPool({ ...LIMITS, statementMs }, { max: poolSize });
    // Kept open, because connecting takes long when the server is busy.
    this.spare = this.createPool(SPARE_LIMITS, { max: 1, idleTimeoutMillis: 0 });
  }

  get isReplica(): boolean {
    return this.settings.isReplica;
  }

  /** A request that shares the budget for texts with all others. */
  newRequest(): ReadRequest {
    return new ReadRequest(this.texts);
  }

  /** Counts of its connections, the spare one included. */
  get connections(): ConnectionCounts {
    return addCounts([countPool(this.pool), countPool(this.spare)]);
  }

  /**
   * The rows of a statement. It is repeated once if it only lost against another transaction, or if its kept plan did not fit.
   * @throws ReadRefused when no connection is available, or nobody waits for the answer any more
   */
  async query<Rows>(sql: string, parameters: unknown[] = []): Promise<Rows> {
    return repeatOnce(async () => {
      const connection = await this.take();
      try {
        return (await this.run(connection, sql, parameters)) as Rows;
      } finally {
        await this.giveBack(connection);
      }
    });
  }

  createQueryRunner(): StatementRunner {
    let taken: Promise<LentConnection> | undefined;
    return {
      query: async (sql, parameters) => {
        taken ??= this.take();
        return { records: await this.run(await taken, sql, parameters) };
      },
      release: async () => {
        // A failed `take` has already been reported.
        const connection = await taken?.catch(() => undefined);
        if (connection) await this.giveBack(connection);
      },
    };
  }

  /**
   * Streams the output of `COPY (…) TO STDOUT`; see {@link LentConnection.copyOut}. Parameters must be part of the text.
   * @throws ReadRefused as `query` does
   */
  async copyOut(sql: string): Promise<Readable> {
    const connection = await this.take();
    try {
      return await connection.copyOut(sql);
    } catch (error) {
      if (!connection.isCopying) await connection.giveBack();
      throw error;
    }
  }

  /** The rows of a short statement on the spare connection: it takes no connection from queries. */
  async queryBeside<Rows>(sql: string, parameters: unknown[] = []): Promise<Rows> {
    return (await this.spare.query(sql, parameters)).rows as Rows;
  }

  /** Ends all statements, and refuses new ones. */
  async close(): Promise<void> {
    this.closed ??= this.end(new ReadRefused('OVER', 'The server is stopping; try again later.'));
    await this.closed;
  }

  private async end(reason: ReadRefused): Promise<void> {
    this.closing = reason;
    for (const connection of this.lent) connection.interrupt(reason);
    const ended = this.pool.end();
    await Promise.race([ended, sleep(CLOSE_PATIENCE_MS, undefined, UNHELD)]);
    for (const connection of this.lent) void connection.abandon();
    await Promise.race([Promise.all([ended, this.spare.end()]), sleep(CLOSE_PATIENCE_MS, undefined, UNHELD)]);
  }

  private async run(connection: LentConnection, sql: string, parameters: unknown[]): Promise<unknown[]> {
    const name = this.plans.nameFor(connection.client, sql, parameters);
    try {
      return (await connection.query(sql, parameters, name)).rows;
    } catch (error) {
      if (name !== undefined) this.plans.noteError(error);
      throw error;
    }
  }

  private async giveBack(connection: LentConnection): Promise<void> {
    if (this.plans.isUsedUp(connection.client)) connection.spend();
    await connection.giveBack();
  }

  /** Waits until the request may run one more statement, then for a free connection. */
  private async take(): Promise<LentConnection> {
    const request = ReadRequest.current;
    const endTurn = await request?.begin();
    try {
      if (this.closing !== undefined) throw this.closing;
      return this.lend(await this.connect(), request, endTurn);
    } catch (error) {
      endTurn?.();
      throw error;
    }
  }

  private lend(client: PooledClient, request?: ReadRequest, endTurn?: () => void): LentConnection {
    const pid = this.pids.get(client);
    const connection = new LentConnection(
      client,
      () => this.queryBeside('SELECT pg_cancel_backend($1)', [pid]),
      (error) => (isConnectionLost(error) ? this.toRefusal(error) : error),
      () => {
        request?.signal.removeEventListener('abort', interrupt);
        this.lent.delete(connection);
        endTurn?.();
      },
    );
    this.lent.add(connection);
    const interrupt = (): void => connection.interrupt(request?.signal.reason as Error);
    request?.signal.addEventListener('abort', interrupt);
    // The client may have left while the connection was opened.
    if (request?.signal.aborted) interrupt();
    else if (this.closing !== undefined) connection.interrupt(this.closing);
    return connection;
  }

  private async connect(): Promise<PooledClient> {
    if (this.pool.waitingCount >= MOST_WAITING) throw new ReadRefused('FULL', FULL);
    try {
      return (await this.pool.connect()) as PooledClient;
    } catch (error) {
      throw WAITED.test(messageOf(error)) ? new ReadRefused('FULL', FULL) : this.toRefusal(error);
    }
  }

  private toRefusal(cause: unknown): unknown {
    const code = codeOf(cause);
    if (code === SERVER_FULL) {
      const text = 'The database has no free connection; try again in a moment.';
      return new ReadRefused('AWAY', text, { cause });
    }
    // Trouble with the primary is also reported elsewhere, with details.
    if (!this.isReplica) return cause;
    const text = `The replica that answers queries cannot be reached (${code ?? 'no answer'}); try again later.`;
    return new ReadRefused('AWAY', text, { cause });
  }

  private createPool(limits: DatabaseLimits, size: PoolConfig): Pool {
    const config: TimedClientConfig & PoolConfig = {
      ...limitClient(limits),
      connectionString: this.settings.url,
      application_name: `hindsight ${process.pid}`,
      connectionTimeoutMillis: WAIT_MS,
      ...size,
    };
    // The pool accepts these, but its types only know its own client and no awaited hook.
    const hooks: object = {
      Client: TimedClient,
      onConnect: (client: PooledClient) => this.prepare(client),
    };
    const pool = new Pool({ ...config, ...hooks });
    // A dead connection is replaced; its statement reports the error.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  }

  private async prepare(client: PooledClient): Promise<void> {
    await client.prepare();
    // A pooler between us and the server may have given the connection a number of its own. Parallel workers are off: they would
    // take as many processors as they find from recording.
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pg_backend_pid() AS pid, set_config('default_transaction_read_only', 'on', false),
              set_config('max_parallel_workers_per_gather', '0', false)`,
    );
    this.pids.set(client, rows[0]?.pid ?? 0);
  }
}

/** Whether the server is gone, rather than answering with an error. */
function isConnectionLost(error: unknown): boolean {
  if (error instanceof ReadRefused) return false;
  return !(error instanceof DatabaseError) || LOST_CODES.test(error.code ?? '');
}
