import type { Database } from '../platform/sql.js';
import { requireWholeLog } from '../event-log/log-end.js';
import { SystemClock, type Clock } from '../platform/clock.js';
import { messageOf } from '../platform/errors.js';
import { keepHeapSmall } from '../platform/heap-growth.js';
import type { Logger } from '../platform/logger.js';
import { nodeWarning } from '../platform/node-release.js';
import { runMigrations } from '../platform/migrations.js';
import { isToBeMade, openDatabase, type OpenedDatabase } from '../platform/open-database.js';
import { redactUrl } from '../platform/redact.js';
import { countNeeded, requireConnections } from '../platform/require-connections.js';
import { closeOldSideDoors } from '../platform/sql-role-doors.js';
import { does } from '../platform/role.js';
import { hasLivingKey } from '../api/keys/stored-keys.js';
import { needsStoredKey, noKey } from '../settings/open-host.js';
import type { Settings } from '../settings/settings.js';
import type { RunningService, ServiceParts } from '../service.js';
import { checkReplica, connect } from './connect.js';
import { explainListening, requirePort } from './require-port.js';
import { catchStopSignals } from './stop-signals.js';
import { catchUncaught } from './uncaught.js';
import { readVersion } from './version.js';

type ServiceModule = typeof import('../service.js');

export interface ServeOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  /** A chain of samples, which the page at `/` offers first. */
  readonly sampleChain?: string;
  /**
   * Called once, when the database, and with it the data directory, is ours and migrated. The service uses the settings that it
   * returns.
   */
  readonly prepare?: (settings: Settings, databaseUrl: string) => Promise<Settings>;
  /** Called once, with the address at which the service answers. */
  readonly onReady: (url: string) => void;
}

/** Longest time from the signal to the end of the process, whatever hangs: less than the 5 s that we promise. */
const HARD_STOP_MS = 4_700;

/** How long the service may drain; the rest of the time is for the database. */
const DRAIN_MS = 2_000;

/**
 * Runs the service, from the database up, until a signal stops it.
 * @throws UserError if it cannot start, or loses its database
 */
export async function serve(options: ServeOptions): Promise<void> {
  const warning = nodeWarning();
  if (warning !== undefined) options.logger.warn(warning);
  const proxies = Object.keys(process.env).filter((name) => /^(?:https?|all)_proxy$/i.test(name));
  if (proxies.length > 0) {
    options.logger.warn(
      { variables: proxies },
      'proxies are not used: nodes and webhooks must be reachable without',
    );
  }
  // Without a database there cannot be a stored key.
  if (needsStoredKey(options.settings) && isToBeMade(options.settings)) throw noKey({ hasDatabase: false });
  await requirePort(options.settings);
  if (does(options.settings.role, 'observer')) keepHeapSmall();
  const clock = new SystemClock();
  const stop = catchStopSignals();
  const failures = catchUncaught(options.logger);
  let database: OpenedDatabase | undefined;
  onAbort(stop.signal, () => {
    options.logger.info('stopping');
    void clock.sleep(HARD_STOP_MS).then(() => {
      options.logger.warn('stopped before everything was closed');
      database?.abandon();
      process.exit(0);
    });
  });
  // The service takes seconds to load; the database starts meanwhile.
  const loading = import('../service.js');
  loading.catch(() => undefined);
  try {
    database = await openDatabase({
      databaseUrl: options.settings.databaseUrl,
      dataDir: options.settings.dataDir,
      exclusive: true,
      clock,
      logger: options.logger,
      signal: stop.signal,
      onLost: failures.fail,
    });
    await runOn(await loading, database, options, { signal: stop.signal, lost: failures.failed }, clock);
  } catch (error) {
    // A signal during the start makes parts of it fail; that is not an error.
    if (!stop.signal.aborted) throw error;
    options.logger.debug({ reason: messageOf(error) }, 'failed while stopping');
  } finally {
    await database?.close();
    failures.release();
    stop.release();
  }
}

async function runOn(
  module: ServiceModule,
  database: OpenedDatabase,
  { settings: given, logger, sampleChain, prepare, onReady }: ServeOptions,
  { signal, lost }: { signal: AbortSignal; lost: Promise<never> },
  clock: Clock,
): Promise<void> {
  const { databaseReadUrl: readUrl } = given;
  await Promise.all([migrate(database, given, logger), readUrl !== undefined && checkReplica(readUrl)]);
  signal.throwIfAborted();
  const settings = prepare === undefined ? given : await prepare(given, database.url);
  const parts = { settings, databaseUrl: database.url, clock, logger, version: readVersion(), sampleChain };
  const service = await Promise.race([startListening(module, parts), lost]);
  try {
    if (!signal.aborted) onReady(service.url);
    await Promise.race([new Promise<void>((resolve) => onAbort(signal, resolve)), lost]);
  } finally {
    await Promise.race([service.close(), clock.sleep(DRAIN_MS)]);
  }
}

async function startListening({ startService }: ServiceModule, parts: ServiceParts): Promise<RunningService> {
  try {
    return await startService(parts);
  } catch (error) {
    throw explainListening(error, parts.settings);
  }
}

async function migrate({ url, embedded }: OpenedDatabase, settings: Settings, logger: Logger): Promise<void> {
  const dataSource = await connect(url, 2);
  logger.info({ database: redactUrl(url), embedded }, 'database is open');
  try {
    // Checked first, so that the database is not migrated for a service that does not start.
    if (needsStoredKey(settings)) await requireStoredKey(dataSource);
    if (!embedded) await requireConnections(dataSource, connectionsFor(settings), logger);
    const migrations = await runMigrations(dataSource, {
      onProgress: (step) => logger.debug(step, 'migrated'),
      onWait: (holders) => logger.warn({ holders }, 'the migrations wait for another process'),
    });
    await requireWholeLog(dataSource);
    if (migrations > 0) logger.info({ migrations }, 'the database is migrated to this version');
    await closeOldSideDoors(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

function connectionsFor({ role, databaseReadUrl, redisUrl }: Settings): number {
  return countNeeded(role, { replica: databaseReadUrl !== undefined, redis: redisUrl !== undefined });
}

async function requireStoredKey(dataSource: Database): Promise<void> {
  const [table] = await dataSource.query<{ is: boolean }[]>(
    "SELECT to_regclass('api_key') IS NOT NULL AS is",
  );
  const hasDatabase = table?.is === true;
  if (!hasDatabase || !(await hasLivingKey(dataSource))) throw noKey({ hasDatabase });
}

function onAbort(signal: AbortSignal, action: () => void): void {
  if (signal.aborted) action();
  else signal.addEventListener('abort', action, { once: true });
}
