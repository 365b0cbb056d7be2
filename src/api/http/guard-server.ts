import compress from '@fastify/compress';
import { normalizeIP } from '@fastify/rate-limit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError } from '../errors.js';
import { NEXT_CURSOR, UNREAD } from '../export/export.controller.js';
import type { HttpRequest } from '../graphql/http-messages.js';
import { ApiKeys, type Identity } from '../keys/api-keys.js';
import { serveWebSockets } from '../live/web-sockets.js';
import { type Counter, RequestCounters } from '../limits/request-counters.js';
import { NEXT_BEFORE, sendAnswer, PROVENANCE_HEADERS } from '../node-interface/node-answer.js';
import { refuseAsNode } from '../node-interface/node-calls.js';
import { HtmlPage, PAGE_POLICY } from '../pages/static-files.js';
import { toAnswer } from './answers.js';
import { findRefusal } from './refusals.js';
import { readBodies } from './takes-body.js';

/** The most invalid keys from one address in a minute. */
const MOST_WRONG_KEYS = 30;

/** Liveness probes must never be rate limited. */
const UNLIMITED = '/health/live';

interface Counters {
  /** Undefined: no limit. */
  readonly requests: Counter | undefined;
  readonly wrongKeys: Counter;
}

type CountedRequest = Parameters<Counter>[0] & HttpRequest;

/** Identifies the client of every request and applies the rate limits before anything else happens. */
async function limitRates(app: NestFastifyApplication): Promise<void> {
  const options = app.get<ApiOptions>(API_OPTIONS, { strict: false });
  const keys = app.get(ApiKeys, { strict: false });
  const server = app.getHttpAdapter().getInstance();
  const counters = await openCounters(new RequestCounters(server, options), options.rateLimit);
  server.addHook('onRequest', async (message, reply) => {
    const request = message as CountedRequest;
    if (message.routeOptions.url === UNLIMITED) return undefined;
    const identity = keys.identify(request);
    if (identity.is === 'CALLER') request.caller = identity.caller;
    request.countWrongKey = async () => {
      const pause = await counters.wrongKeys(request);
      if (pause !== undefined) throw tooMany(pause);
    };
    if (!keys.isAsking) return undefined;
    const seconds = await findPause(counters, request, identity);
    if (seconds === undefined) return undefined;
    const refusal = tooMany(seconds);
    return reply.code(refusal.status).header('retry-after', seconds).send(toAnswer(refusal));
  });
}

async function openCounters(counters: RequestCounters, rateLimit: number): Promise<Counters> {
  const wrongKeys = await counters.open({
    name: 'wrong-keys',
    most: MOST_WRONG_KEYS,
    keyOf: ({ ip }) => normalizeIP(ip),
    isKeptWithoutRedis: true,
  });
  if (rateLimit === 0) return { requests: undefined, wrongKeys };
  const requests = await counters.open({
    name: 'requests',
    most: rateLimit,
    keyOf: (request) => {
      const { caller } = request as CountedRequest;
      return caller ? `key ${caller.name}` : `address ${normalizeIP(request.ip)}`;
    },
    isKeptWithoutRedis: false,
  });
  return { requests, wrongKeys };
}

/**
 * Seconds after which the client may retry; undefined when the request may pass. Only invalid keys count as such. Clients of one
 * proxy share an address, so a client that guesses keys must not lock out clients with valid keys.
 */
async function findPause(
  { requests, wrongKeys }: Counters,
  request: CountedRequest,
  identity: Identity,
): Promise<number | undefined> {
  const pause = identity.is === 'WRONG' ? await wrongKeys(request) : undefined;
  return pause ?? requests?.(request);
}

function tooMany(seconds: number): ApiError {
  return new ApiError('RATE_LIMITED', `Too many requests; try again in ${seconds} s.`, {
    retryAfter: seconds,
  });
}

/** Seconds for which browsers cache the result of a preflight request. */
const PREFLIGHT_AGE_S = 600;

/**
 * Response compression for clients that accept it: text, JSON and tables, where it makes them shorter. The fastest level achieves
 * most of it.
 */
const GZIP = {
  encodings: ['gzip' as const],
  customTypes: /^text\/|json(?:;|$)/,
  zlibOptions: { level: 1 },
};

/**
 * Installs everything that runs before the routes: CORS, rate limits, rejection of requests that no route accepts, and body
 * parsers. To be called before `listen`.
 */
export async function guardServer(app: NestFastifyApplication): Promise<void> {
  const { corsOrigins } = app.get<ApiOptions>(API_OPTIONS, { strict: false });
  // Without CORS, no response has a header that lets a page of another origin read it.
  if (corsOrigins.length > 0) {
    app.enableCors({
      origin: [...corsOrigins],
      methods: ['GET', 'POST'],
      allowedHeaders: ['content-type', 'authorization', 'x-api-key', 'graphql-require-preflight'],
      exposedHeaders: ['retry-after', NEXT_CURSOR, UNREAD, NEXT_BEFORE, ...PROVENANCE_HEADERS],
      maxAge: PREFLIGHT_AGE_S,
    });
  }
  // Registered before the routes. Compressed request bodies are not unpacked, because their unpacked size is unknown.
  await app
    .getHttpAdapter()
    .getInstance()
    .register(compress, { ...GZIP, globalDecompression: false });
  readBodies(app);
  await limitRates(app);
  await serveWebSockets(app);
  // Runs after the rate limits, so that rejected requests count, too, and before a body is read.
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', async (request, reply) => {
      const refusal = findRefusal(request);
      const asNode =
        request.is404 || endsInSlash(request.raw.url) ? refuseAsNode(request.raw.url) : undefined;
      if (asNode) {
        sendAnswer(reply, asNode);
        return reply;
      }
      if (refusal && request.is404 && wantsPage(request)) {
        const html = missingPage.readFor(app.get<ApiOptions>(API_OPTIONS, { strict: false }));
        return reply
          .code(refusal.status)
          .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY })
          .send(html);
      }
      if (refusal) return reply.code(refusal.status).send(toAnswer(refusal));
    });
}

/** Says, as a page of the dashboard, that there is no such page. */
const missingPage = new HtmlPage('dashboard/index.html');

/** Whether somebody opens an address in a browser. */
function wantsPage({ method, headers }: Pick<HttpRequest, 'method' | 'headers'>): boolean {
  return method === 'GET' && /\btext\/html\b/.test(String(headers['accept']));
}

/** For such a path, the router accepts an empty last part. */
function endsInSlash(url = ''): boolean {
  return /^[^?]*\/(?:\?|$)/.test(url);
}
