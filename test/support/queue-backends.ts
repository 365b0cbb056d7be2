import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { openQueue } from '../../src/platform/queues/bullmq.js';
import { QUEUE_NAME, type QueueLocation } from '../../src/platform/queues/queue-location.js';
import { startEmptyDatabase } from './database.js';
import { askRedis, findRedisSource, startTestRedis } from './redis.js';

/** The backends of a queue, for `describe.each`. Without a Redis only Postgres remains, and the run says so at its end. */
export const QUEUE_BACKENDS: readonly QueueLocation['backend'][] = findRedisSource()
  ? ['postgres', 'redis']
  : ['postgres'];

/** A separate place for a spec's queue. */
export interface TestQueue {
  readonly place: QueueLocation;
  /** The ids of recently started jobs, in this order. */
  readBegun(): Promise<string[]>;
  /** Makes a completed job older by this many milliseconds. */
  ageJob(id: string, ms: number): Promise<void>;
  /** Removes all schedules from the queue. */
  loseSchedules(): Promise<void>;
  /** Makes all jobs that wait for their next attempt start it now. */
  hasten(): Promise<void>;
  stop(): Promise<void>;
}

/** @param database see `startTestRedis` */
export async function startTestQueue(
  backend: QueueLocation['backend'],
  database: number,
): Promise<TestQueue> {
  if (backend === 'postgres') {
    const database = await startEmptyDatabase();
    const place = { backend, url: database.url } as const;
    const ask = <Row>(sql: string, parameters: unknown[] = []) =>
      askPostgres<Row>(database.url, sql, parameters);
    return {
      place,
      readBegun: async () => {
        const sql =
          "SELECT data->>'jobId' AS job FROM hindsight_queue.event WHERE event = 'active' ORDER BY id";
        return (await ask<{ job: string }>(sql)).map(({ job }) => job);
      },
      ageJob: async (id, ms) => {
        const sql = 'UPDATE hindsight_queue.job SET finished_at_ms = finished_at_ms - $2 WHERE id = $1';
        await ask(sql, [id, ms]);
      },
      loseSchedules: () => removeSchedules(place),
      hasten: () => promoteJobs(place),
      stop: () => database.stop(),
    };
  }
  const redis = await startTestRedis(database);
  const place = { backend, url: redis.url, prefix: 'test' } as const;
  const keys = `test:${QUEUE_NAME}`;
  return {
    place,
    readBegun: async () => {
      const events = await askRedis(redis.url, (client) => client.xrange(`${keys}:events`, '-', '+'));
      const fields = events.map(([, pairs]) => new Map(pairs.map((name, at) => [name, pairs[at + 1] ?? ''])));
      return fields
        .filter((event) => event.get('event') === 'active')
        .map((event) => event.get('jobId') ?? '');
    },
    ageJob: async (id, ms) => {
      await askRedis(redis.url, (client) => client.zincrby(`${keys}:completed`, -ms, id));
      await askRedis(redis.url, (client) => client.hincrby(`${keys}:${id}`, 'finishedOn', -ms));
    },
    loseSchedules: () => removeSchedules(place),
    hasten: () => promoteJobs(place),
    stop: () => redis.stop(),
  };
}

async function askPostgres<Row>(url: string, sql: string, parameters: unknown[]): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, parameters)).rows as Row[];
  } finally {
    await client.end();
  }
}

async function removeSchedules(place: QueueLocation): Promise<void> {
  const queue = openQueue(place);
  try {
    for (const { key } of await queue.getJobSchedulers()) await queue.removeJobScheduler(key);
  } finally {
    await queue.close();
  }
}

async function promoteJobs(place: QueueLocation): Promise<void> {
  const queue = openQueue(place);
  try {
    await queue.promoteJobs();
  } finally {
    await queue.close();
  }
}

/**
 * For specs with a half that needs a Redis: notes a missing Redis for the last lines of the run. With CI set, a missing Redis is
 * a failure.
 */
export function itHasRedis(): void {
  it('has a Redis, or reports that it is missing', () => {
    if (findRedisSource()) return;
    const folder = process.env['HINDSIGHT_TEST_FOLDER'];
    if (folder) writeFileSync(join(folder, 'no-redis'), '');
    if (process.env['CI'])
      throw new Error('there is no Redis for the other half of these tests, and CI is set');
  });
}
