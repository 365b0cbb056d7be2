import { Client, type ClientConfig } from 'pg';
import { demandsScram, insistOnScram } from './scram.js';
import { pinSession, TAKE_TIME_BACK, type SessionSettings } from './session-settings.js';

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
      `The database did not answer for ${this.answerTimeoutMs / 1_000} s; its connection was given up.`,
      {
        cause,
      },
    );
  }
}
