import { existsSync } from 'node:fs';
import { Redis } from 'ioredis';
import { hasProgram } from './programs.js';
import { LocalRedis } from './redis-local.js';
import { ProxiedRedis } from './redis-proxied.js';

/** A Redis for one spec file, which can be made to fail. */
export interface TestRedis {
  readonly url: string;
  /** Deletes all data. */
  flush(): Promise<void>;
  /** Kills it at once with all its data: connections break, and new ones are refused. */
  kill(): Promise<void>;
  /** Restarts it after `kill`, empty. */
  revive(): Promise<void>;
  /** Accepts connections and answers nothing. */
  hang(): void;
  /** Continues after `hang`. */
  resume(): void;
  stop(): Promise<void>;
}

/** Sources of a Redis for tests. */
export type RedisSource = 'REDIS_URL' | 'Docker' | 'redis-server';

/** The best available source: a server named by REDIS_URL, or else Docker, or else a local `redis-server`. */
export function findRedisSource(): RedisSource | undefined {
  if (process.env['REDIS_URL']) return 'REDIS_URL';
  // The `docker` command alone proves nothing: without an engine it only fails later.
  if (process.env['DOCKER_HOST'] || existsSync('/var/run/docker.sock')) return 'Docker';
  return hasProgram('redis-server') ? 'redis-server' : undefined;
}

/** @param database the number of the logical database, a different one for each spec file: REDIS_URL names one server for all */
export async function startTestRedis(database: number): Promise<TestRedis> {
  switch (findRedisSource()) {
    case 'REDIS_URL':
      return ProxiedRedis.start(withDatabase(process.env['REDIS_URL'] ?? '', database), () =>
        Promise.resolve(),
      );
    case 'Docker':
      // An engine that lacks the image and cannot fetch it is useless.
      return startContainer(database).catch((error: unknown) => {
        if (!hasProgram('redis-server')) throw error;
        return LocalRedis.start();
      });
    case 'redis-server':
      return LocalRedis.start();
    case undefined:
      throw new Error('there is no Redis on this computer');
  }
}

async function startContainer(database: number): Promise<TestRedis> {
  const { GenericContainer } = await import('testcontainers');
  const container = await new GenericContainer('redis:7-alpine').withExposedPorts(6379).start();
  const url = `redis://${container.getHost()}:${container.getMappedPort(6379)}`;
  return ProxiedRedis.start(withDatabase(url, database), async () => void (await container.stop()));
}

function withDatabase(server: string, database: number): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.toString();
}

/** Sends requests to a Redis on a separate connection. */
export async function askRedis<T>(url: string, ask: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { lazyConnect: true });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await ask(redis);
  } finally {
    redis.disconnect();
  }
}
