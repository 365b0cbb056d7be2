import { Client, type ClientConfig, escapeIdentifier, type ClientBase } from 'pg';
import { demandsScram, insistOnScram } from './scram.js';

/**
 * What statements rely on, and a server, a database or a role may have otherwise. What is not named here is the operator's:
 * how statements are planned, where tables are made (`search_path`), whether a commit waits for the disk.
 */
const PINNED = {
  // What values look like, which `rows/column-parsers.ts` reads.
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  // What texts of SQL mean.
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  // What a transaction sees.
  default_transaction_isolation: 'read committed',
  // A statement ends by its own limit alone, and only we close a connection.
  lock_timeout: '0',
  idle_session_timeout: '0',
} as const;

/** SQL: the same of what ends transactions since Postgres 17. */
const END_NO_TRANSACTION = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'`;

/** Where a session keeps the limit of its statements, so that {@link TAKE_TIME_BACK} finds it. */
const OWN_LIMIT = 'hindsight.statement_timeout';

/**
 * SQL: gives a session that has set `statement_timeout` the limit of its pool again. RESET would give it what the server has, as
 * our settings do not stand in the greeting of a connection: poolers refuse those.
 */
export const TAKE_TIME_BACK = `SELECT set_config('statement_timeout', current_setting('${OWN_LIMIT}'), false)`;

/** What differs from pool to pool. */
export interface SessionSettings {
  /** The server ends a statement after so many milliseconds. */
  readonly statementMs: number;
  /** The server ends a transaction in which nothing was asked for so many milliseconds; as the server has it when left out. */
  readonly idleInTransactionMs?: number | undefined;
  /** Where tables are looked for, and in the first of which they are made; the role's own when left out. */
  readonly schemas?: readonly string[] | undefined;
}

/** Sets what all our sessions rely on, whatever the server, the database and the role have. */
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

/** What a {@link TimedClient} is told, beside what every client is. */
export interface TimedClientConfig extends ClientConfig {
  readonly session: SessionSettings;
  /** Milliseconds for which an answer is waited for: more than the server's own `statement_timeout`. */
  readonly answerTimeoutMs: number;
}

/** What gives the statements after it another time than the pool does, so that nobody here knows how long they may take. */
const GIVES_TIME = /\bSET\s+(?:LOCAL\s+|SESSION\s+)?statement_timeout\b|\bset_config\('statement_timeout'/i;

/** Of the connection, each by itself: some servers do not know them, and work all the same. */
const CONNECTION_SETTINGS = [
  // The server ends a session, with its locks, when its client has been silent for 20 s or has taken no byte for 30 s.
  `SELECT set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '3', false),
          set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '30000', false)`,
  // Also while it works on a statement.
  `SELECT set_config('client_connection_check_interval', '5000', false)`,
];

/**
 * A connection that is given up when its server does not answer in time.
 *
 * A host or a network that vanishes says nothing, and the system waits a quarter of an hour for it. The server ends
 * what takes too long itself, so whoever waits for longer than that waits for nobody. The connection is then closed.
 * What was asked on it fails, and the pool makes another.
 *
 * A session that sets `statement_timeout` is waited for without an end, until the transaction in which it did so is
 * over. Outside of a transaction it is until it says `TAKE_TIME_BACK`.
 */
export class TimedClient extends Client {
  private readonly session: SessionSettings;
  private readonly answerTimeoutMs: number;
  private readonly send: (...args: unknown[]) => unknown;
  private pending = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Statements under way that give time: until they are answered it is not known what for. */
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

  /** Settings of a new session, those of the connection in so far as the server has them. */
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
      // A stream of rows: whoever takes them bounds its time.
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
