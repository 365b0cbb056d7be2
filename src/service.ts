import { createHash } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import type { Clock } from './platform/clock.js';
import { openPools } from './platform/pools.js';
import { type Logger, NestLogger } from './platform/logger.js';
import { findQueuePlace } from './platform/queues/queue-place.js';
import type { Settings } from './platform/settings.js';
import type { WatchedNode } from './platform/settings-lists.js';
import { PROJECTION_FACTORIES } from './projections/all-projections.js';
import { writeDownChainSettings } from './observe/node/chain-settings.js';
import type { ObservedNode } from './observe/subject-observer.js';

/** Bytes of a request to our own API at most. */
const BODY_LIMIT_BYTES = 1 << 20;

/** What a service is started with. */
export interface ServiceParts {
  readonly settings: Settings;
  /** A migrated database. */
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
}

/** A service that answers. */
export interface RunningService {
  /** Where its API is, as `http://127.0.0.1:4400`. */
  readonly url: string;
  /** Stops observing, writes down the last looks, and closes every connection. */
  close(): Promise<void>;
}

/** Starts the roles that the settings name, on a database that is open and migrated. */
export async function startService(parts: ServiceParts): Promise<RunningService> {
  const { settings, databaseUrl, clock, logger, version } = parts;
  const { role, databaseReadUrl: readUrl } = settings;
  const pools = await openPools({ url: databaseUrl, readUrl, role });
  const { dataSource, appends, observer, reads } = pools;
  try {
    await writeDownChainSettings(dataSource, clock, settings.chains);
    const pace = settings.poll;
    const queue = await findQueuePlace(dataSource, { databaseUrl, redisUrl: settings.redisUrl });
    const module = AppModule.forRole({
      role,
      dataSource,
      reads,
      eventStore: { appends, streams: observer?.streams, clock },
      observe: observer && {
        plan: {
          nodes: settings.nodes.map(observed),
          pace,
          bytesPerDay: settings.logBudget,
          shard: settings.shard,
        },
        leases: observer.leases,
        clock,
        logger,
      },
      projections: {
        clock,
        logger,
        projections: Object.values(PROJECTION_FACTORIES).map((create) => create()),
      },
      queue,
      api: { clock, version, apiKeyHashes: settings.apiKeys.map(sha256) },
    });
    const app = await NestFactory.create<NestFastifyApplication>(
      module,
      new FastifyAdapter({ bodyLimit: BODY_LIMIT_BYTES, forceCloseConnections: true }),
      { logger: new NestLogger(logger), abortOnError: false },
    );
    try {
      await app.listen({ port: settings.port, host: settings.host });
    } catch (error) {
      // Queues and loops run by then, and would keep the process.
      await app.close();
      throw error;
    }
    return {
      url: urlOf(app, settings.host),
      close: async () => {
        // What is being answered need not be waited for.
        await Promise.all([reads.close(), app.close()]);
        await pools.close();
      },
    };
  } catch (error) {
    await pools.close();
    throw error;
  }
}

function observed({ transactions, ...node }: WatchedNode): ObservedNode {
  return { ...node, record: transactions };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function urlOf(app: NestFastifyApplication, host: string): string {
  const address = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
