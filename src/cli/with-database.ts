import type { DataSource } from 'typeorm';
import { SystemClock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import { requireMigrated } from '../platform/migrations.js';
import { openDatabase } from '../platform/open-database.js';
import type { Settings } from '../settings/settings.js';
import { connect } from './connect.js';
import { catchStopSignals, StoppedBySignal } from './stop-signals.js';
import { catchUncaught } from './uncaught.js';

/** What a command works with. */
export interface DatabaseContext {
  readonly dataSource: DataSource;
  readonly url: string;
  /** Aborted when the command should end. A command that does not look gets its connections closed under it. */
  readonly signal: AbortSignal;
}

/** Which database a command works on. */
export interface WithDatabaseOptions {
  readonly settings: Pick<Settings, 'dataDir' | 'databaseUrl'>;
  readonly logger: Logger;
  /** Make an embedded database where there is none, and take one as it is; else it must be there and migrated. */
  readonly create?: boolean;
}

/** How long a command may take to end after a signal before its database is taken from it. */
const PATIENCE_MS = 1_500;

/**
 * Lends a command the database, beside a running service or without one, and cleans up after it whatever happens. After
 * a signal it ends within 5 s.
 * @throws StoppedBySignal when a signal ended the work
 */
export async function withDatabase<T>(
  options: WithDatabaseOptions,
  work: (context: DatabaseContext) => Promise<T>,
): Promise<T> {
  const clock = new SystemClock();
  const { databaseUrl, dataDir } = options.settings;
  const stop = catchStopSignals();
  const failures = catchUncaught(options.logger);
  try {
    const { logger, create = false } = options;
    const database = await openDatabase({
      databaseUrl,
      dataDir,
      exclusive: false,
      create,
      clock,
      logger,
      signal: stop.signal,
    });
    try {
      const dataSource = await connect(database.url, 4);
      const running = begin(work, { dataSource, url: database.url, signal: stop.signal }, create);
      try {
        return await Promise.race([running, failAfterStop(stop.signal, clock), failures.failed]);
      } finally {
        running.catch(() => undefined);
        await Promise.race([dataSource.destroy(), clock.sleep(500)]);
      }
    } finally {
      await database.close();
    }
  } catch (error) {
    throw stop.signal.aborted ? new StoppedBySignal() : error;
  } finally {
    failures.release();
    stop.release();
  }
}

async function begin<T>(
  work: (context: DatabaseContext) => Promise<T>,
  context: DatabaseContext,
  create: boolean,
): Promise<T> {
  if (!create) await requireMigrated(context.dataSource);
  return work(context);
}

async function failAfterStop(signal: AbortSignal, clock: SystemClock): Promise<never> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await clock.sleep(PATIENCE_MS);
  throw new StoppedBySignal();
}
