import { EmbeddedDatabase, type EmbeddedOptions } from './embedded-postgres/embedded-database.js';
import { mayHaveCluster } from './embedded-postgres/home.js';

export interface OpenDatabaseOptions extends EmbeddedOptions {
  /** URL of the user's own server; the embedded server when left out. */
  readonly databaseUrl?: string | undefined;
}

export interface OpenedDatabase {
  readonly url: string;
  readonly embedded: boolean;
  /** Stops an embedded server if nobody else uses it; a server of the user's own is left alone. */
  close(): Promise<void>;
  /** Like `close`, but at once and without waiting, for a process that is out of time. */
  abandon(): void;
}

/**
 * Finds or starts the database. The URL holds a password: print it only through `redactUrl`.
 * @throws UserError when no database can be opened
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
 * Whether opening would create a new embedded database. False also when that is unknown: for the user's own server, or for a
 * folder that we may not read.
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
