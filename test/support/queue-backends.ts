import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { QueuePlace } from '../../src/platform/queues/queue-place.js';
import { startEmptyDatabase } from './database.js';
import { findRedisSource, startTestRedis } from './redis.js';

/** Where a queue can live, by name, for `describe.each`. Without a Redis only Postgres is left, and the run says so at its end. */
export const QUEUE_BACKENDS: readonly QueuePlace['backend'][] = findRedisSource()
  ? ['postgres', 'redis']
  : ['postgres'];

/** A place for a queue, of a spec's own. */
export interface TestQueue {
  readonly place: QueuePlace;
  stop(): Promise<void>;
}

/** @param database see `startTestRedis` */
export async function startTestQueue(backend: QueuePlace['backend'], database: number): Promise<TestQueue> {
  if (backend === 'postgres') {
    const database = await startEmptyDatabase();
    return { place: { backend, url: database.url }, stop: () => database.stop() };
  }
  const redis = await startTestRedis(database);
  return { place: { backend, url: redis.url, prefix: 'test' }, stop: () => redis.stop() };
}

/**
 * For specs with a half that needs a Redis: notes where there is none, for the last lines of the run. With CI set, that
 * is a failure.
 */
export function itHasRedis(): void {
  it('has a Redis to run on, or says that it has not', () => {
    if (findRedisSource()) return;
    const folder = process.env['HINDSIGHT_TEST_FOLDER'];
    if (folder) writeFileSync(join(folder, 'no-redis'), '');
    if (process.env['CI'])
      throw new Error('there is no Redis for the other half of these tests, and CI is set');
  });
}
