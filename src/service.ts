import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpAdapter } from './api/http/http-adapter.js';
import type { Database } from './platform/sql.js';
import { AppModule, type AppParts } from './app.module.js';
import { EventStore } from './event-log/event-store.js';
import { routeAsNode } from './api/node-interface/root-paths.js';
import { guardServer } from './api/http/guard-server.js';
import { describeRest } from './api/openapi/describe-rest.js';
import { hasLivingKey } from './api/keys/stored-keys.js';
import { UserError } from './platform/errors.js';
import { openPools } from './platform/pools.js';
import { NestLogger, type Logger } from './platform/logger.js';
import { findQueueLocation } from './platform/queues/queue-location.js';
import { RareLog } from './platform/rare-log.js';
import { writeDownChainSettings } from './observe/node/chain-settings.js';
import { needsStoredKey, noKey } from './settings/open-host.js';
import type { Settings } from './settings/settings.js';

/** Most simultaneous client connections: well below 1,024, the usual limit of open files per process. */
const CONNECTIONS = 500;

export interface ServiceParts extends Omit<AppParts, 'pools' | 'queue'> {
  /** URL of a migrated database. */
  readonly databaseUrl: string;
}

export interface RunningService {
  /** Base URL of the API, such as `http://127.0.0.1:4400`. */
  readonly url: string;
  /** Stops observing, records the last polls, and closes every connection. */
  close(): Promise<void>;
}

/** Starts the roles named in the settings, on a running, migrated database. */
export async function startService(parts: ServiceParts): Promise<RunningService> {
  const { settings, databaseUrl, clock, logger } = parts;
  const { role, databaseReadUrl: readUrl, redisUrl, host, port } = settings;
  const isArchive = role === 'archive';
  const pools = await openPools({ url: databaseUrl, readUrl, role });
  const { dataSource, reads } = pools;
  try {
    if (isArchive) await requireRecord(dataSource, logger);
    await requireKey(dataSource, settings);
    const nodes = isArchive ? [] : settings.nodes;
    const queue = await findQueueLocation(dataSource, { databaseUrl, redisUrl });
    const app = await NestFactory.create<NestFastifyApplication>(
      AppModule.of({ ...parts, settings: { ...settings, nodes }, pools, queue }),
      createHttpAdapter(
        new RareLog(clock, logger),
        { connections: CONNECTIONS },
        routeAsNode(settings.defaultNode),
      ),
      { logger: new NestLogger(logger), abortOnError: false },
    );
    try {
      // Must happen before the observers begin.
      if (!isArchive)
        await writeDownChainSettings(app.get(EventStore, { strict: false }), clock, settings.chains);
      await guardServer(app);
      describeRest(app);
      await app.listen({ port, host });
    } catch (error) {
      // Queues and loops are already running and would keep the process alive.
      await app.close();
      throw error;
    }
    return {
      url: urlOf(app, host),
      close: async () => {
        // Closing does not wait for requests in flight.
        await Promise.all([reads.close(), app.close()]);
        await pools.close();
      },
    };
  } catch (error) {
    await pools.close();
    throw error;
  }
}

/** @throws UserError when other hosts can reach the server, and neither the settings nor the database have a valid API key */
async function requireKey(dataSource: Database, settings: Settings): Promise<void> {
  if (needsStoredKey(settings) && !(await hasLivingKey(dataSource))) throw noKey({ hasDatabase: true });
}

/**
 * An archive serves recorded data and appends nothing: its log stays identical to the log that it was copied from.
 * @throws UserError when nothing is recorded
 */
async function requireRecord(dataSource: Database, logger: Logger): Promise<void> {
  const [head] = await dataSource.query<{ position: bigint }[]>('SELECT position FROM log_head');
  if (head !== undefined && head.position > 0n) {
    logger.info('an archive: the record is served, and nothing is added to it');
    return;
  }
  throw new UserError(
    'Wrong settings: role is archive, but there is no record to serve.',
    'Restore a backup: hindsight restore DIR; or omit the role and give --node URL.',
    2,
  );
}

function urlOf(app: NestFastifyApplication, host: string): string {
  const address = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
