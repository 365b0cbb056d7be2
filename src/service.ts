import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpAdapter } from './api/http/http-adapter.js';
import type { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';
import { guardServer } from './api/http/guard-server.js';
import { hasLivingKey } from './api/keys/stored-keys.js';
import { hashKey } from './api/keys/key-text.js';
import type { Clock } from './platform/clock.js';
import { UserError } from './platform/errors.js';
import { openPools } from './platform/pools.js';
import { type Logger, NestLogger } from './platform/logger.js';
import { findQueuePlace } from './platform/queues/queue-place.js';
import { RareLog } from './platform/rare-log.js';
import type { Settings } from './platform/settings.js';
import type { WatchedNode } from './platform/settings-lists.js';
import { isLoopback } from './platform/settings-values.js';
import { PROJECTION_FACTORIES } from './projections/all-projections.js';
import { keepFormerIds } from './observe/node/former-ids.js';
import { writeDownChainSettings } from './observe/node/chain-settings.js';
import type { ObservedNode } from './observe/subject-observer.js';

/** Clients at the same time: well below the 1,024 files that a process is given where nobody asked for more. */
const CONNECTIONS = 500;

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
    await requireKey(dataSource, settings);
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
          nodes: (await keepFormerIds(dataSource, settings.nodes)).map(observed),
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
      api: {
        clock,
        logger,
        version,
        apiKeyHashes: settings.apiKeys.map((key) => hashKey(key).toString('hex')),
        isLoopback: isLoopback(settings.host),
        rateLimit: settings.rateLimit,
        sharedCounts: queue.backend === 'redis' ? queue : undefined,
        corsOrigins: settings.corsOrigins,
      },
    });
    const app = await NestFactory.create<NestFastifyApplication>(
      module,
      createHttpAdapter(new RareLog(clock, logger), { connections: CONNECTIONS }),
      { logger: new NestLogger(logger), abortOnError: false },
    );
    try {
      await guardServer(app);
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

function observed({ transactions, ...node }: Omit<WatchedNode, 'formerId'>): ObservedNode {
  return { ...node, record: transactions };
}

/** @throws UserError when others could reach a server that asks for a key, and there is none that it could be asked with */
async function requireKey(dataSource: DataSource, { host, apiKeys }: Settings): Promise<void> {
  if (isLoopback(host) || apiKeys.length > 0 || (await hasLivingKey(dataSource))) return;
  throw new UserError(
    `Wrong settings: host is not a loopback address, which needs an API key, and there is none.`,
    'Make one (hindsight keys add NAME --scope read), or set HINDSIGHT_API_KEY.',
    2,
  );
}

function urlOf(app: NestFastifyApplication, host: string): string {
  const address = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
