import { createHash } from 'node:crypto';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DataSource } from 'typeorm';
import { ApiModule } from '../../src/api/api.module.js';
import type { ApiOptions, ReachableNode, SharedCounts } from '../../src/api/api-options.js';
import type { ChainBudget } from '../../src/domain/cost/budget.js';
import { guardServer } from '../../src/api/http/guard-server.js';
import { routeAsNode } from '../../src/api/node-interface/root-paths.js';
import { createHttpAdapter, type GivenLimits } from '../../src/api/http/http-adapter.js';
import { describeRest } from '../../src/api/openapi/describe-rest.js';
import type { ReplicaState } from '../../src/api/replica/replica-watch.js';
import { SystemClock, type Clock } from '../../src/platform/clock.js';
import { addCounts, countSource } from '../../src/platform/connection-counts.js';
import { createDataSource } from '../../src/platform/database.js';
import { Database } from '../../src/platform/sql.js';
import { createLogger, NestLogger, type Logger } from '../../src/platform/logger.js';
import { RareLog } from '../../src/platform/rare-log.js';
import { ReadDatabase } from '../../src/platform/reads/read-database.js';
import { QueuesModule } from '../../src/platform/queues/queues.module.js';
import { poolSizes } from '../../src/platform/pools.js';
import type { QueueLocation } from '../../src/platform/queues/queue-location.js';

/** An error of a GraphQL answer. */
interface AnswerError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string; readonly [name: string]: unknown };
}

/** A GraphQL answer. */
export interface Answer<Data> {
  readonly status: number;
  readonly data: Data | null;
  readonly errors?: readonly AnswerError[];
  readonly extensions?: {
    readonly cost: { readonly requested: number; readonly limit: number };
    readonly replica?: ReplicaState;
  };
}

/** The API alone, on its own port, over a database. */
export interface ApiServer {
  readonly url: string;
  readonly app: NestFastifyApplication;
  readonly dataSource: DataSource;
  /** Returns any answer of the server. */
  ask<Data>(
    query: string,
    variables?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<Answer<Data>>;
  /** Returns the data; rejects when there are errors. */
  read<Data>(query: string, variables?: Record<string, unknown>): Promise<Data>;
  /** The codes of the errors. */
  codesOf(query: string, variables?: Record<string, unknown>): Promise<string[]>;
  stop(): Promise<void>;
}

@Global()
@Module({})
class DataSourceModule {
  static of(dataSource: DataSource, reads: ReadDatabase): DynamicModule {
    return {
      module: DataSourceModule,
      providers: [
        { provide: Database, useValue: dataSource },
        { provide: ReadDatabase, useValue: reads },
      ],
      exports: [Database, ReadDatabase],
    };
  }
}

export interface ApiServerOptions {
  /** Without keys the API is open. */
  readonly keys?: readonly string[];
  readonly clock?: Clock;
  /** Absent, as in a process that only observes. */
  readonly queue?: QueueLocation;
  /** Behaves as if it listened beyond loopback. */
  readonly isExposed?: boolean;
  /** Requests a minute; without a limit when left out. */
  readonly rateLimit?: number;
  readonly sharedCounts?: SharedCounts;
  readonly corsOrigins?: readonly string[];
  /** Silent when left out. */
  readonly logger?: Logger;
  readonly limits?: Partial<GivenLimits>;
  /** Nodes that serve data that is not recorded. */
  readonly nodes?: readonly ReachableNode[];
  readonly budgets?: readonly ChainBudget[];
  readonly alerts?: ApiOptions['alerts'];
  /** The node whose interface is served at the root. */
  readonly defaultNode?: string;
  readonly publicChains?: ApiOptions['publicChains'];
  /** A database server for queries; the main server when left out. */
  readonly readUrl?: string;
  /** Bytes of large texts that all requests together may hold; the service's limit when left out. */
  readonly roomForTexts?: number;
  /** Where it listens; anywhere when left out. */
  readonly port?: number;
}

/** The number of connections that a service has for queries. */
export const READERS = poolSizes('api').reads;

/** Starts the API. */
export async function startApi(databaseUrl: string, options: ApiServerOptions = {}): Promise<ApiServer> {
  const dataSource = await createDataSource({ url: databaseUrl, poolSize: 4 }).initialize();
  const { keys = [], clock = new SystemClock(), queue, readUrl, limits, roomForTexts } = options;
  const { logger = createLogger('silent') } = options;
  const reads = new ReadDatabase({
    url: readUrl ?? databaseUrl,
    isReplica: readUrl !== undefined,
    poolSize: READERS,
    roomForTexts,
  });
  const apiKeyHashes = keys.map((key) => createHash('sha256').update(key).digest('hex'));
  const app = await NestFactory.create<NestFastifyApplication>(
    {
      module: class TestModule {},
      imports: [
        DataSourceModule.of(dataSource, reads),
        ...(queue ? [QueuesModule.forRoot({ place: queue, clock, logger, works: false })] : []),
        ApiModule.forRoot({
          clock,
          logger,
          apiKeyHashes,
          version: '0.0.0-test',
          isLoopback: options.isExposed !== true,
          rateLimit: options.rateLimit ?? 0,
          sharedCounts: options.sharedCounts,
          corsOrigins: options.corsOrigins ?? [],
          nodes: options.nodes,
          budgets: options.budgets,
          alerts: options.alerts,
          defaultNode: options.defaultNode,
          publicChains: options.publicChains,
          metrics: {
            tellsFigures: true,
            countConnections: () => addCounts([countSource(dataSource), reads.connections]),
          },
        }),
      ],
    },
    createHttpAdapter(
      new RareLog(clock, logger),
      { connections: 100, ...limits },
      routeAsNode(options.defaultNode),
    ),
    { logger: new NestLogger(logger), abortOnError: false },
  );
  await guardServer(app);
  describeRest(app);
  await app.listen(options.port ?? 0, '127.0.0.1');
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');

  const ask: ApiServer['ask'] = async (query, variables, headers) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
    return { status: response.status, ...((await response.json()) as object) } as never;
  };
  return {
    url,
    app,
    dataSource,
    ask,
    read: async (query, variables) => {
      const answer = await ask(query, variables);
      if (answer.errors || answer.data === null) throw new Error(JSON.stringify(answer.errors));
      return answer.data as never;
    },
    codesOf: async (query, variables) =>
      (await ask(query, variables)).errors?.map((error) => error.extensions.code) ?? [],
    stop: async () => {
      await Promise.all([reads.close(), app.close()]);
      if (dataSource.isInitialized) await dataSource.destroy();
    },
  };
}
