import type { Clock } from './clock.js';
import { EmbeddedDatabase } from './embedded-postgres/embedded-database.js';
import type { UserError } from './errors.js';
import type { Logger } from './logger.js';

/** Which database, and how to use it. */
export interface OpenDatabaseOptions {
  /** A server of the user's own; the embedded one when left out. */
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  /** For the service: refuse when another one lives on this data directory. Commands say false and work beside one. */
  readonly exclusive: boolean;
  /** Make an embedded database where there is none; as `exclusive` when left out. */
  readonly create?: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends an opening that is under way. */
  readonly signal?: AbortSignal;
  /** Called at most once, when the embedded server is gone for good or another service took it: end the process. */
  readonly onLost?: (error: UserError) => void;
}

/** A database that can be connected to. */
export interface OpenedDatabase {
  readonly url: string;
  readonly embedded: boolean;
  /** Stops an embedded server if nobody else uses it; a server of the user's own is left alone. */
  close(): Promise<void>;
  /** As `close`, at once and without waiting, for a process that is out of time. */
  abandon(): void;
}

/**
 * Finds or starts the database. The URL holds a password: print it only through `redactUrl`.
 * @throws UserError when there is none to be had
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenedDatabase> {
  if (options.databaseUrl !== undefined) {
    return {
      url: options.databaseUrl,
      embedded: false,
      close: () => Promise.resolve(),
      abandon: () => undefined,
    };
  }
  forgetPostgresVariables(process.env);
  const database = await EmbeddedDatabase.open({ ...options, create: options.create ?? options.exclusive });
  return {
    url: database.url,
    embedded: true,
    close: () => database.close(),
    abandon: () => database.abandon(),
  };
}

/**
 * The driver completes every address from `PGSSLMODE`, `PGOPTIONS` and the like. They are meant for a server of the
 * user's own, and the embedded one is the only server of this process.
 */
function forgetPostgresVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    if (/^PG[A-Z]+/.test(name)) delete env[name];
  }
}
