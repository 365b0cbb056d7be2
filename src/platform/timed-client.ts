import { Client, type ClientConfig, escapeIdentifier, type ClientBase } from 'pg';
import { demandsScram, insistOnScram } from './scram.js';

/**
 * Settings that our statements rely on, and that a server, a database or a role may have changed. All others are the operator's
 * choice: planning, where tables are created (`search_path`), whether a commit waits for the disk.
 */
const PINNED = {
  // Text formats of values, as `rows/column-parsers.ts` reads them.
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  // Meaning of SQL text.
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  // Isolation of transactions.
  default_transaction_isolation: 'read committed',
  // Only its own limit ends a statement, and only we close a connection.
  lock_timeout: '0',
  idle_session_timeout: '0',
} as const;

/** SQL: also switches off `transaction_timeout`, which exists since Postgres 17. */
const END_NO_TRANSACTION = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'`;

/** Keeps the limit of a session's statements, so that {@link TAKE_TIME_BACK} finds it. */
const OWN_LIMIT = 'hindsight.statement_timeout';

/**
 * SQL: restores the pool's limit in a session that has set `statement_timeout`. RESET would restore the server's value, because
 * our settings are not in the startup message of a connection: poolers refuse those.
 */
export const TAKE_TIME_BACK = `SELECT set_config('statement_timeout', current_setting('${OWN_LIMIT}'), false)`;

export interface SessionSettings {
  /** The server ends a statement after this many milliseconds. */
  readonly statementMs: number;
  /** The server ends a transaction that is idle for this many milliseconds; the server's own setting when left out. */
  readonly idleInTransactionMs?: number | undefined;
  /** Schemas that are searched for tables; new tables are created in the first. The role's own when left out. */
  readonly schemas?: readonly string[] | undefined;
}

/** Sets what all our sessions rely on, over the settings of the server, the database and the role. */
export async function pinSession(
  client: Pick<ClientBase, 'query'>,
  { statementMs, idleInTransactionMs, schemas }: SessionSettings,
): Promise<void> {
  const limit = String(statementMs);
  const settings: Record<string, string> = {
    ...PINNED,
    statement_timeout: limit,
    [OWN_LIMIT]: limit,
    ...(idleInTransactionMs !== undefined && {
      idle_in_transaction_session_timeout: String(idleInTransactionMs),
    }),
    ...(schemas && { search_path: schemas.map(escapeIdentifier).join(', ') }),
  };
  await client.query(
    'SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS s (name, value)',
    [Object.keys(settings), Object.values(settings)],
  );
  await client.query(END_NO_TRANSACTION);
}

export interface TimedClientConfig extends ClientConfig {
  readonly session: SessionSettings;
  /** Milliseconds to wait for an answer: more than the server's own `statement_timeout`. */
  readonly answerTimeoutMs: number;
}

/** Matches statements that change the limit of the statements after them, so that we do not know how long those may take. */
const GIVES_TIME = /\bSET\s+(?:LOCAL\s+|SESSION\s+)?statement_timeout\b|\bset_config\('statement_timeout'/i;

/** Settings of the connection, each set separately: some servers do not know them, and work without. */
const CONNECTION_SETTINGS = [
  // The server ends a session, with its locks, when its client has been silent for 20 s or has taken no byte for 30 s.
  `SELECT set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '3', false),
          set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '30000', false)`,
  // The server also checks while it works on a statement.
  `SELECT set_config('client_connection_check_interval', '5000', false)`,
];

/**
 * A connection that is given up when its server does not answer in time.
 *
 * A host or network that vanishes sends nothing, and the system waits a quarter of an hour for it. The server itself ends
 * statements that take too long, so an answer that takes longer will never come. The connection is then closed, its statements
 * fail, and the pool opens another.
 *
 * A session that sets `statement_timeout` has no such deadline until the end of the transaction that set it, or, outside of a
 * transaction, until `TAKE_TIME_BACK`.
 */
export class TimedClient extends Client {
  private readonly session: SessionSettings;
  private readonly answerTimeoutMs: number;
  private readonly send: (...args: unknown[]) => unknown;
  private pending = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Statements under way that change the limit: their scope is unknown until they are answered. */
  private giving = 0;
  private sessionHasOwnTime = false;
  private transactionHasOwnTime = false;
  private isGivenUp = false;

  constructor(config: TimedClientConfig) {
    super(config);
    if (demandsScram(config.connectionString)) insistOnScram(this);
    this.session = config.session;
    this.answerTimeoutMs = config.answerTimeoutMs;
    this.send = super.query.bind(this);
    this.query = ((...args: unknown[]) => this.watch(args)) as Client['query'];
    this.once('end', () => clearTimeout(this.timer));
  }

  /** Applies the settings of a new session; those of the connection as far as the server has them. */
  async prepare(): Promise<void> {
    await pinSession(this, this.session);
    for (const settings of CONNECTION_SETTINGS) await this.query(settings).catch(() => undefined);
  }

  private watch(args: readonly unknown[]): unknown {
    const text = typeof args[0] === 'string' ? args[0] : '';
    const givesTime = GIVES_TIME.test(text);
    this.pending += 1;
    if (givesTime) this.giving += 1;
    if (givesTime || this.pending === 1) this.restartTimer();
    const answer = this.send(...args);
    if (!(answer instanceof Promise)) {
      // A stream of rows: its consumer limits the time.
      this.pending -= 1;
      return answer;
    }
    return answer.then(
      (result: unknown) => {
        if (givesTime) this.noteTime(text);
        this.noteAnswer();
        return result;
      },
      (error: unknown) => {
        if (givesTime) this.giving -= 1;
        this.noteAnswer();
        throw this.isGivenUp ? this.complaint(error) : error;
      },
    );
  }

  private noteTime(text: string): void {
    this.giving -= 1;
    if (this.isInTransaction()) this.transactionHasOwnTime = true;
    else this.sessionHasOwnTime = text !== TAKE_TIME_BACK;
  }

  private noteAnswer(): void {
    if (!this.isInTransaction()) this.transactionHasOwnTime = false;
    this.pending -= 1;
    this.restartTimer();
  }

  private isInTransaction(): boolean {
    return this.getTransactionStatus() !== 'I';
  }

  private restartTimer(): void {
    clearTimeout(this.timer);
    const hasOwnTime = this.giving > 0 || this.sessionHasOwnTime || this.transactionHasOwnTime;
    if (this.pending === 0 || hasOwnTime) return;
    this.timer = setTimeout(() => {
      this.isGivenUp = true;
      // With something unanswered, this closes the connection at once.
      void this.end().catch(() => undefined);
    }, this.answerTimeoutMs);
  }

  private complaint(cause: unknown): Error {
    return new Error(
      `The database did not answer for ${this.answerTimeoutMs / 1_000} s; its connection was closed.`,
      {
        cause,
      },
    );
  }
}
