import rateLimit from '@fastify/rate-limit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Redis } from 'ioredis';
import type { ApiOptions, SharedCounts } from '../api-options.js';
import { RareLog } from '../../platform/rare-log.js';

type WebServer = ReturnType<ReturnType<NestFastifyApplication['getHttpAdapter']>['getInstance']>;
type Counting = ReturnType<WebServer['createRateLimit']>;
type WebRequest = Parameters<Counting>[0];

/** The counting window. It begins with a client's first request, and again with the next request after it ended. */
const WINDOW_MS = 60_000;

/** The most clients with a counter each; beyond that, the least recently active are forgotten. */
const MOST_COUNTED = 20_000;

/** The longest wait for Redis by default. After it the connection is replaced, and no request waits meanwhile. */
const PATIENCE_MS = 250;

export interface CounterOptions {
  readonly name: string;
  /** Requests per minute. */
  readonly most: number;
  readonly keyOf: (request: WebRequest) => string;
  /** Whether each process counts by itself while Redis is unavailable; otherwise nothing is counted then. */
  readonly isKeptWithoutRedis: boolean;
}

/** Counts a request; returns the seconds after which the client may retry, or undefined when the request may pass. */
export type Counter = (request: WebRequest) => Promise<number | undefined>;

/** Creates counters: in Redis if configured, so that all processes count together, else in memory. */
export class RequestCounters {
  private readonly redis: Redis | undefined;
  private readonly complaints: RareLog;

  constructor(
    private readonly server: WebServer,
    private readonly options: Pick<ApiOptions, 'clock' | 'logger' | 'sharedCounts'>,
  ) {
    this.complaints = new RareLog(options.clock, options.logger);
    this.redis = options.sharedCounts && this.connect(options.sharedCounts);
  }

  async open(options: CounterOptions): Promise<Counter> {
    const { redis } = this;
    const own = !redis || options.isKeptWithoutRedis ? await this.openOne(options) : undefined;
    const shared = redis && (await this.openOne(options, redis));
    const count = async (request: WebRequest) => {
      try {
        if (shared) return await shared(request);
      } catch (error) {
        // When disconnected, the client's own error only talks about its options.
        this.complain(redis?.status === 'ready' ? error : new Error('there is no connection to it'));
      }
      return own?.(request);
    };
    return async (request) => {
      const counted = await count(request);
      if (!counted || counted.isAllowed || !counted.isExceeded) return undefined;
      return Math.max(1, counted.ttlInSeconds);
    };
  }

  /** Registered in a context of its own, because the plugin has one store per context. */
  private async openOne({ name, most, keyOf }: CounterOptions, redis?: Redis): Promise<Counting> {
    let counting: Counting | undefined;
    await this.server.register(async (context) => {
      await context.register(rateLimit, {
        global: false,
        max: most,
        timeWindow: WINDOW_MS,
        cache: MOST_COUNTED,
        keyGenerator: keyOf,
        ...(redis && { redis, nameSpace: `${this.options.sharedCounts?.prefix}:${name}:` }),
      });
      counting = context.createRateLimit();
    });
    if (!counting) throw new Error('the web server has not accepted the request counter');
    return counting;
  }

  private complain(error: unknown): void {
    this.complaints.warn(error, 'requests cannot be counted in Redis; they are accepted');
  }

  private connect({ url, patienceMs = PATIENCE_MS }: SharedCounts): Redis {
    const redis = new Redis(url, {
      connectTimeout: 5_000,
      socketTimeout: patienceMs,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      retryStrategy: (tries) => Math.min(250 * 2 ** Math.min(tries, 10), 3_000),
    });
    redis.on('error', (error: unknown) => this.complain(error));
    this.server.addHook('onClose', async () => redis.disconnect());
    return redis;
  }
}
