import type { Command } from 'commander';
import type { EventStore } from '../event-log/event-store.js';
import { requireWholeLog } from '../event-log/log-end.js';
import { SystemClock } from '../platform/clock.js';
import type { DatabasePool } from '../platform/database.js';
import { createLogger } from '../platform/logger.js';
import { requireMigrated } from '../platform/migrations.js';
import { openDatabase } from '../platform/open-database.js';
import { connect } from './connect.js';
import {
  addSettingOptions,
  DATABASE_SETTINGS,
  readSettings,
  type SettingOptions,
} from './setting-options.js';
import { catchStopSignals } from './stop-signals.js';
import { catchUncaught } from './uncaught.js';

export interface DatabaseContext {
  readonly dataSource: DatabasePool;
  readonly url: string;
  /** Opens the event log; loaded only by commands that need it. */
  readonly openLog: () => Promise<EventStore>;
  /** Aborted when the command should end. The connections of a command that ignores it are closed. */
  readonly signal: AbortSignal;
}

/** How long a command may continue after a signal before its database is closed. */
const PATIENCE_MS = 1_500;

export function addDatabaseOptions(command: Command): Command {
  return addSettingOptions(command, DATABASE_SETTINGS);
}

/**
 * Runs a command with the database of its settings, with or without a running service, and always cleans up. After a signal it
 * ends within 5 s.
 *
 * @param create creates an embedded database if there is none, and uses an existing one as it is; otherwise the database must
 * exist and be migrated
 * @throws UserError if the settings are wrong, or there is no such database
 * @throws StoppedBySignal if a signal ended the work
 */
export async function withDatabase<T>(
  options: SettingOptions,
  work: (context: DatabaseContext) => Promise<T>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<T> {
  const { databaseUrl, dataDir, logLevel } = readSettings(options);
  const logger = createLogger(logLevel);
  const clock = new SystemClock();
  const stop = catchStopSignals();
  const failures = catchUncaught(logger);
  try {
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
      const openLog = async (): Promise<EventStore> => {
        const { EventStore } = await import('../event-log/event-store.js');
        return new EventStore(dataSource);
      };
      const running = begin(work, { dataSource, openLog, url: database.url, signal: stop.signal }, create);
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
    throw stop.signal.aborted ? stop.signal.reason : error;
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
  if (!create) {
    await requireMigrated(context.dataSource);
    await requireWholeLog(context.dataSource);
  }
  return work(context);
}

async function failAfterStop(signal: AbortSignal, clock: SystemClock): Promise<never> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await clock.sleep(PATIENCE_MS);
  throw signal.reason;
}
