import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Redis } from 'ioredis';
import { messageOf } from '../../platform/errors.js';
import { RareLog } from '../../platform/rare-log.js';
import { API_OPTIONS, type ApiOptions, type SharedCounts } from '../api-options.js';
import { tooMany } from '../errors.js';
import type { HttpRequest } from '../graphql/http-messages.js';
import { ApiKeys } from '../keys/api-keys.js';

type WebServer = ReturnType<ReturnType<NestFastifyApplication['getHttpAdapter']>['getInstance']>;
type Counting = ReturnType<WebServer['createRateLimit']>;
type CountedRequest = Parameters<Counting>[0] & HttpRequest;

/** The counting window. It begins with a client's first request, and again with the next request after it ended. */
const WINDOW_MS = 60_000;

/** The most invalid keys from one address in a minute. */
const MOST_WRONG_KEYS = 30;

/** Liveness probes must never be rate limited. */
const UNLIMITED = '/health/live';

/** The most clients with a counter each; beyond that, the least recently active are forgotten. */
const MOST_COUNTED = 20_000;

/** The longest wait for Redis by default. After it the connection is replaced, and no request waits meanwhile. */
const PATIENCE_MS = 250;

/**
 * Opens the rate limits. Only invalid keys count as such. Clients of one proxy share an address, so a client that guesses keys
 * must not lock out clients with valid keys.
 * @returns identifies the client of a request; it throws ApiError RATE_LIMITED when the client sent too many
 */
export async function openRateLimits(
  app: NestFastifyApplication,
): Promise<(request: CountedRequest) => Promise<void>> {
  const options = app.get<ApiOptions>(API_OPTIONS, { strict: false });
  const keys = app.get(ApiKeys, { strict: false });
  const server = app.getHttpAdapter().getInstance();
  const counters = new RequestCounters(server, options);
  const countWrongKey = await counters.open({
    name: 'wrong-keys',
    most: MOST_WRONG_KEYS,
    keyOf: ({ ip }) => normalizeIP(ip),
    isKeptWithoutRedis: true,
  });
  const countRequest = await counters.open({
    name: 'requests',
    most: options.rateLimit || Infinity,
    keyOf: ({ caller, ip }) => (caller ? `key ${caller.name}` : `address ${normalizeIP(ip)}`),
    isKeptWithoutRedis: false,
  });
  return async (request) => {
    if (request.routeOptions.url === UNLIMITED) return;
    const identity = keys.identify(request);
    if (identity.is === 'CALLER') request.caller = identity.caller;
    request.countWrongKey = () => countWrongKey(request);
    if (!keys.isAsking) return;
    if (identity.is === 'WRONG') await countWrongKey(request);
    await countRequest(request);
  };
}

interface CounterOptions {
  readonly name: string;
  /** Requests per minute; infinite where there is no limit. */
  readonly most: number;
  readonly keyOf: (request: CountedRequest) => string;
  /** Whether each process counts by itself while Redis is unavailable; otherwise nothing is counted then. */
  readonly isKeptWithoutRedis: boolean;
}

/** Creates counters: in Redis if configured, so that all processes count together, else in memory. */
class RequestCounters {
  private readonly redis: Redis | undefined;
  private readonly complaints: RareLog;

  constructor(
    private readonly server: WebServer,
    private readonly options: Pick<ApiOptions, 'clock' | 'logger' | 'sharedCounts'>,
  ) {
    this.complaints = new RareLog(options.clock, options.logger);
    this.redis = options.sharedCounts && this.connect(options.sharedCounts);
  }

  /** @returns counts a request; it throws ApiError RATE_LIMITED for one too many */
  async open(options: CounterOptions): Promise<(request: CountedRequest) => Promise<void>> {
    if (options.most === Infinity) return () => Promise.resolve();
    const { redis } = this;
    const own = !redis || options.isKeptWithoutRedis ? await this.openOne(options) : undefined;
    const shared = redis && (await this.openOne(options, redis));
    const count = async (request: CountedRequest) => {
      try {
        if (shared) return await shared(request);
      } catch (error) {
        // When disconnected, the client's own error only talks about its options. It may be connected again by now.
        const isAway = redis?.status !== 'ready' || messageOf(error).includes('enableOfflineQueue');
        this.complain(isAway ? new Error('there is no connection to it') : error);
      }
      return own?.(request);
    };
    return async (request) => {
      const counted = await count(request);
      if (counted?.isAllowed !== false || !counted.isExceeded) return;
      const seconds = Math.max(1, counted.ttlInSeconds);
      throw tooMany(`Too many requests; try again in ${seconds} s.`, seconds);
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
        keyGenerator: (request) => keyOf(request as CountedRequest),
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
