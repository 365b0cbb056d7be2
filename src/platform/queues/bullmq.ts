import { createPostgresBackend, Queue, Worker, type Processor } from 'bullmq';
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
/** The longest pause between two tries to connect. */
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

/** Opens the side that adds and reads jobs. It connects by itself and keeps trying. */
export function openQueue(place: QueueLocation): Queue<unknown> {
  const { create, ...options } = toBackend(place, 'producer');
  return new Queue(QUEUE_NAME, { ...options, streams: { events: { maxLen: 1_000 } } }, create);
}

/** Opens the side that runs jobs. */
export function openWorker(place: QueueLocation, process: Processor<unknown>): Worker<unknown> {
  const { create, ...options } = toBackend(place, 'worker');
  return new Worker(QUEUE_NAME, process, { ...options, ...PACE }, create);
}

function toBackend(place: QueueLocation, user: User) {
  if (place.backend === 'redis') return { prefix: place.prefix, connection: redis(place.url, user) };
  // The type only names the inner client: the calls that we use are the same on both backends.
  const create = createPostgresBackend as unknown as undefined;
  return { connection: postgres(place.url, user), create };
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
    migrate: true,
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
