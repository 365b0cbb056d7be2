import { EmbeddedDatabase, type EmbeddedOptions } from './embedded-postgres/embedded-database.js';
import { mayHaveCluster } from './embedded-postgres/home.js';

/** Which database, and how to use it. */
export interface OpenDatabaseOptions extends EmbeddedOptions {
  /** A server of the user's own; the embedded one when left out. */
  readonly databaseUrl?: string | undefined;
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
  return EmbeddedDatabase.open(options);
}

/**
 * Whether there is none yet, so that opening it makes one. False also where that cannot be told: of a server of the user's own, or of
 * a folder that is closed to us.
 */
export function isToBeMade({
  databaseUrl,
  dataDir,
}: Pick<OpenDatabaseOptions, 'databaseUrl' | 'dataDir'>): boolean {
  try {
    return databaseUrl === undefined && !mayHaveCluster(dataDir);
  } catch {
    return false;
  }
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
