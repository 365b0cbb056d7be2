import type { Client } from 'pg';
import type { Clock } from '../clock.js';
import { messageOf, UserError } from '../errors.js';
import type { Logger } from '../logger.js';
import { USE_YOUR_OWN } from './binaries.js';
import {
  clusterExists,
  dataFolder,
  ensureCluster,
  readPassword,
  removeDrafts,
  type Cluster,
} from './cluster.js';
import { explainEnd, explainRefusal } from './explanations.js';
import { livesElsewhere, mayHaveCluster, placeCluster } from './home.js';
import { findPostmaster, signalPostmaster, stopPostmaster, type Postmaster } from './postmaster.js';
import { logPath, shortenLog } from './server-log.js';
import { SHARED_ACCOUNT } from './server-user.js';
import { ensureServer } from './server.js';
import {
  claimService,
  closeOwnDatabases,
  ensureDatabase,
  joinServer,
  leaveServer,
  quietenStatements,
  stopUnused,
  toUrl,
  type ServerAddress,
} from './session.js';

/** The database inside an embedded cluster. */
const DATABASE = 'hindsight';

/** Tries to join a server that others keep stopping. */
const JOIN_TRIES = 50;

/** A server that restarts itself after a crash of one of its processes is back within this time. */
const REJOIN_MS = 15_000;

/** The server counts as gone after its main process was missing this many times in a row. */
const GONE_AFTER = 5;

/** The length of the server's log is checked at this pace. */
const LOG_CARE_MS = 60_000;

export interface EmbeddedOptions {
  readonly dataDir: string;
  /**
   * True for the one service of this data directory: a second one is refused. Commands pass false, and work with or without a
   * service.
   */
  readonly exclusive: boolean;
  /** Create the embedded database if there is none; same as `exclusive` when left out. */
  readonly create?: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts an opening that is under way. */
  readonly signal?: AbortSignal;
  /** Called at most once, when the embedded server is gone for good or another service took it: the process must end. */
  readonly onLost?: (error: UserError) => void;
}

/**
 * One process's use of the embedded server. Each user has a shared lock on the server, and the last to leave stops it, whoever
 * started it. A command leaves a server that it started to a service that came in the meantime; a service leaves it to a command
 * that is still reading. The server of a killed process keeps running: the next service ends it and starts its own, and the next
 * command uses it and stops it.
 */
export class EmbeddedDatabase {
  readonly url: string;
  readonly embedded = true;
  private leaving: Promise<void> | undefined;
  private readonly closed = new AbortController();

  private constructor(
    private readonly cluster: Cluster,
    private readonly server: Postmaster,
    private readonly address: ServerAddress,
    private session: Client,
    private readonly options: EmbeddedOptions,
  ) {
    this.url = toUrl(address, DATABASE);
    this.watchSession();
    void this.keepLogShort();
  }

  /** @throws UserError when the server is unavailable, its files may not be read, or another service uses it */
  static async open(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
    try {
      return await EmbeddedDatabase.openAllowed(options);
    } catch (error) {
      throw error instanceof UserError ? error : (explainRefusal(error, options.dataDir) ?? error);
    }
  }

  private static async openAllowed(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
    const create = options.create ?? options.exclusive;
    // Commands that only read must not create anything when there is no record.
    if (!create && !mayHaveCluster(options.dataDir)) throw noRecord(options);
    const cluster = placeCluster(options.dataDir);
    if (!create && !clusterExists(cluster)) throw noRecord(options);
    if (livesElsewhere(cluster, options.dataDir)) {
      options.logger.info(
        { home: cluster.home },
        'the server cannot read the data directory, so its database is elsewhere',
      );
    }
    if (options.exclusive && cluster.user?.name === SHARED_ACCOUNT) {
      options.logger.warn(
        { home: cluster.home },
        `the database belongs to "${SHARED_ACCOUNT}", whose other services can read it; a new database will belong to the account "hindsight", if that account exists`,
      );
    }
    const database = await EmbeddedDatabase.join(cluster, options);
    try {
      await ensureDatabase(database.session, DATABASE);
      await quietenStatements(database.session);
      await closeOwnDatabases(database.session);
      if (options.exclusive) {
        await claimService(database.session, options.dataDir, options.clock);
        removeDrafts(cluster);
      }
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  private static async join(cluster: Cluster, options: EmbeddedOptions): Promise<EmbeddedDatabase> {
    let started: Postmaster | undefined;
    try {
      for (let tries = 0; tries < JOIN_TRIES; tries += 1) {
        await ensureCluster(cluster, options.signal);
        const password = readPassword(cluster);
        const server = await ensureServer(cluster, options);
        if (server.isNew) started = server;
        const address = { port: server.port, password };
        const stop = () => stopPostmaster(dataFolder(cluster), server.pid, options.clock);
        // Killed processes may have left it behind, of another release and with other settings.
        if (options.exclusive && !server.isNew && (await stopUnused(address, stop))) continue;
        const session = await joinServer(address);
        if (session !== undefined) return new EmbeddedDatabase(cluster, server, address, session, options);
        await options.clock.sleep(100, options.signal);
        options.signal?.throwIfAborted();
      }
      throw new UserError(
        `The embedded Postgres in ${cluster.home} does not take connections.`,
        `Its log is ${logPath(cluster)}. Or: ${USE_YOUR_OWN}`,
      );
    } catch (error) {
      // Nobody can join a server that refuses us, so nobody else would stop it.
      if (started !== undefined) await stopPostmaster(dataFolder(cluster), started.pid, options.clock);
      throw error;
    }
  }

  /** Leaves the server, and stops it if nobody else uses it. Takes 2.5 s at most, once the server answers. */
  close(): Promise<void> {
    this.closed.abort();
    this.leaving ??= this.leave();
    return this.leaving;
  }

  /** The last resort of a process that must end now: the server drops everything, and recovers at the next start. */
  abandon(): void {
    const server = findPostmaster(dataFolder(this.cluster));
    if (server !== undefined) signalPostmaster(server.pid, 'SIGQUIT');
  }

  private async leave(): Promise<void> {
    const last = await leaveServer(this.session).catch((error: unknown) => {
      this.options.logger.warn(
        { reason: messageOf(error) },
        'the embedded Postgres does not answer, stopping it',
      );
      return true;
    });
    if (last) await stopPostmaster(dataFolder(this.cluster), this.server.pid, this.options.clock);
    await this.session.end().catch(() => undefined);
  }

  /** Locks end with the session: when it breaks, a new session must take them again. */
  private watchSession(): void {
    this.session.once('end', () => {
      if (this.leaving === undefined) void this.rejoin();
    });
  }

  private async rejoin(): Promise<void> {
    const { clock, exclusive, logger, onLost } = this.options;
    logger.warn('lost the session with the embedded Postgres, joining again');
    const lostAt = clock.now();
    const deadline = clock.monotonic() + REJOIN_MS;
    let missed = 0;
    while (this.leaving === undefined && clock.monotonic() < deadline && missed < GONE_AFTER) {
      const session = await joinServer(this.address).catch(() => undefined);
      if (session === undefined) {
        missed = this.isServerThere() ? 0 : missed + 1;
        await clock.sleep(200);
        continue;
      }
      this.session = session;
      this.watchSession();
      if (exclusive) await this.reclaim(session, onLost);
      return;
    }
    if (this.leaving === undefined) onLost?.(explainEnd(this.cluster, lostAt));
  }

  private isServerThere(): boolean {
    return findPostmaster(dataFolder(this.cluster))?.pid === this.server.pid;
  }

  /** Not a `Loop`: the database opens before the service with its loop directory, and commands have no directory. */
  private async keepLogShort(): Promise<void> {
    const { clock, logger } = this.options;
    while (!this.closed.signal.aborted) {
      try {
        shortenLog(this.cluster);
      } catch (error) {
        logger.warn({ reason: messageOf(error) }, 'cannot shorten the log of the embedded Postgres');
      }
      await clock.sleep(LOG_CARE_MS, this.closed.signal);
    }
  }

  private async reclaim(session: Client, onLost: EmbeddedOptions['onLost']): Promise<void> {
    try {
      await claimService(session, this.options.dataDir, this.options.clock);
    } catch (error) {
      // Any other failure means that the new session broke too, which triggers another rejoin.
      if (error instanceof UserError) onLost?.(error);
    }
  }
}

function noRecord({ dataDir }: Pick<EmbeddedOptions, 'dataDir'>): UserError {
  return new UserError(
    `There is no record in ${dataDir}.`,
    'Give the --data-dir or --database-url of the recording service.',
  );
}
