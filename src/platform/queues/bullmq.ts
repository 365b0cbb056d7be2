import { setTimeout as sleep } from 'node:timers/promises';
import {
  createRedisBackend,
  type IQueueBackend,
  PostgresConnection,
  PostgresQueueBackend,
  type Processor,
  type QueueOptions,
  runMigrations,
  withBackend,
} from 'bullmq';
import type { Client } from 'pg';
import { demandsScram, toScramParts } from '../scram.js';
import { pinSession } from '../timed-client.js';
import { QUEUE_NAME, type QueueLocation } from './queue-location.js';

/** Schema of BullMQ's own tables. They are no read model and no part of our migrations: BullMQ maintains them itself. */
const SCHEMA = 'hindsight_queue';
const CONNECT_MS = 5_000;
/** Time limit of a producer's command. */
const COMMAND_MS = 2_000;
/** A connection whose server does not answer for this long is opened again. A worker's call may take 10 s. */
const SILENCE_MS = { producer: 10_000, worker: 30_000 } as const;
/** The longest pause between two tries to connect to Redis, and the only one between tries to connect to Postgres. */
const RECONNECT_CAP_MS = 3_000;
/** Postgres ends a statement after this time. */
const STATEMENT_MS = 30_000;
/** Connections of a Postgres pool, in addition to the one that listens. */
const POOL_SIZE = 2;

const PACE = {
  /** Jobs that one process runs at a time. */
  concurrency: 4,
  /** Jobs may restart as often as it takes: a worker that dies is not the job's fault. */
  maxStalledCount: 1_000,
  /** Pause of a worker after an error; the library's own is 15 s. */
  runRetryDelay: 1_000,
  /** A killed worker keeps its jobs for this long; the next check gives them to another. */
  lockDuration: 10_000,
  stalledInterval: 5_000,
};

type User = keyof typeof SILENCE_MS;

/** Waits for a server that is away at first. BullMQ's own connection would never work again. */
class PatientConnection extends PostgresConnection {
  private migrated: Promise<void> | undefined;

  override waitUntilReady(): Promise<void> {
    return (this.migrated ??= this.migrate());
  }

  private async migrate(): Promise<void> {
    while (!this.isClosing) {
      try {
        const client = await this.pool.connect();
        await runMigrations(client, SCHEMA).finally(() => client.release());
        return;
      } catch (error) {
        this.emit('error', error);
        await sleep(RECONNECT_CAP_MS, undefined, { ref: false });
      }
    }
  }
}

const bull = withBackend<IQueueBackend, QueueLocation>(
  (name, { connection: place, ...options }, role): IQueueBackend => {
    const user = role?.withBlockingConnection ? 'worker' : 'producer';
    if (place.backend === 'postgres') {
      const connection = new PatientConnection(postgres(place.url, user));
      return new PostgresQueueBackend(connection, name, { ...options, connection: {} });
    }
    const onRedis: QueueOptions = {
      ...options,
      prefix: place.prefix,
      connection: redis(place.url, user),
      // A producer whose question for the version fails would never work again. The worker asks it.
      skipVersionCheck: user === 'producer',
    };
    return createRedisBackend(name, onRedis, role);
  },
);

/** Opens the side that adds and reads jobs. It connects by itself and keeps trying. */
export function openQueue(place: QueueLocation) {
  return new bull.Queue<unknown>(QUEUE_NAME, { connection: place, streams: { events: { maxLen: 1_000 } } });
}

/** Opens the side that runs jobs. It connects by itself and keeps trying. */
export function openWorker(place: QueueLocation, process: Processor<unknown>) {
  return new bull.Worker<unknown>(QUEUE_NAME, process, { connection: place, ...PACE });
}

function redis(url: string, user: User): Record<string, unknown> {
  return {
    url,
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS[user],
    retryStrategy: (tries: number) => Math.min(250 * 2 ** Math.min(tries, 10), RECONNECT_CAP_MS),
    // A producer fails at once; a worker waits until it is connected.
    ...(user === 'producer'
      ? { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: COMMAND_MS }
      : { maxRetriesPerRequest: null }),
  };
}

function postgres(url: string, user: User) {
  // The schema is set by `options`, which the `options` of the URL would replace.
  const parsed = new URL(url);
  const options = parsed.searchParams.get('options');
  parsed.searchParams.delete('options');
  parsed.searchParams.delete('application_name');
  return {
    // The library's types only allow a string as password; its driver also takes a function.
    ...(demandsScram(url)
      ? (toScramParts(url) as { host: string })
      : { connectionString: parsed.toString() }),
    schema: SCHEMA,
    max: POOL_SIZE,
    application_name: `hindsight ${process.pid} ${user}`,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    onConnect: async (client: Client) => {
      // Without a listener a connection that breaks in use would end the process; its statement fails as well.
      client.on('error', () => undefined);
      await pinSession(client, { statementMs: STATEMENT_MS, schemas: [SCHEMA] });
    },
    ...(options !== null && { options }),
  };
}
