import type { RequestListener, Server, ServerResponse } from 'node:http';
import helmet from '@fastify/helmet';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { BothHttpServer, connectionOf, turnAway } from '../../platform/both-http.js';
import type { RareLog } from '../../platform/rare-log.js';
import { retryAfter } from '../errors.js';
import { keepPace, type Pace } from './answer-pace.js';
import { JSON_TYPE, toAnswer } from './answers.js';
import { Connections, MOST_UNDER_WAY } from './connections.js';
import { bringsBody, refuseAddress, refuseConnection } from './refusals.js';
import type { RoutedRequest } from './routed-request.js';

/** What one client can take of the server; milliseconds. */
interface HttpLimits extends Pace {
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  /** Without a byte in either direction. Longer than any question takes to be answered. */
  readonly idleMs: number;
  /** Between two requests. Longer than the 60 s of most proxies, so that none sends into a connection that closes. */
  readonly keepAliveMs: number;
  /** How often the times of requests are looked at. */
  readonly checkMs: number;
  /** Connections at the same time, but for some more that only probes are answered on. */
  readonly connections: number;
}

/** Those that are left out are the ordinary ones. */
export type GivenLimits = Pick<HttpLimits, 'connections'> & Partial<HttpLimits>;

const ORDINARY_LIMITS: Omit<HttpLimits, 'connections'> = {
  requestMs: 30_000,
  answerMs: 60_000,
  stallMs: 30_000,
  slowMs: 3_000,
  idleMs: 120_000,
  keepAliveMs: 65_000,
  checkMs: 5_000,
};

/** The headers of a request, and the first one of a connection, come within so long. */
const HEADERS_MS = 10_000;

/** Nothing but what the start page allows itself may be done with an answer. */
const POLICY = { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } };

/**
 * The web server: its limits, and the headers of every answer.
 * @param rewrite gives the path, with its query, under which a request is answered
 */
export function createHttpAdapter(
  complaints: RareLog,
  given: GivenLimits,
  rewrite: (request: RoutedRequest) => string = ({ url = '/' }) => url,
): FastifyAdapter {
  const limits = { ...ORDINARY_LIMITS, ...given };
  const adapter = new FastifyAdapter({
    forceCloseConnections: true,
    rewriteUrl: rewrite,
    serverFactory: (handler: RequestListener) => createBoth(handler, limits),
    clientErrorHandler: refuseConnection,
    // Comes before every hook.
    frameworkErrors: (error: Error, _request: unknown, { raw }: { raw: Pick<ServerResponse, 'socket'> }) => {
      if (raw.socket) refuseAddress(error, raw.socket);
    },
  });
  const instance = adapter.getInstance();
  const connections = new Connections(limits.connections, complaints);
  connections.watch(instance.server);
  // We speak plain HTTP, where HSTS means nothing; whoever puts TLS in front says it there.
  void instance.register(helmet, {
    contentSecurityPolicy: POLICY,
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  });
  instance.addHook('onRequest', async (request, reply) => {
    const socket = connectionOf(request.raw);
    if (!connections.begin(socket, reply.raw)) {
      reply.hijack();
      turnAway(request.raw);
      return undefined;
    }
    const refusal = connections.findRefusal(socket, request.routeOptions.url);
    if (refusal === undefined) return undefined;
    reply.header('connection', 'close').header('retry-after', retryAfter(refusal));
    return reply.code(refusal.status).send(toAnswer(refusal));
  });
  instance.addHook('onSend', async (request, reply) => {
    // GraphQL answers are printed by us, and then the web server does not know what they are.
    if (!reply.hasHeader('content-type')) reply.type(JSON_TYPE);
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    // What was not read will not be.
    if (bringsBody(request) && !request.raw.complete) reply.header('connection', 'close');
    keepPace(reply.raw, limits);
  });
  return adapter;
}

function createBoth(handler: RequestListener, limits: HttpLimits): Server {
  const headersMs = Math.min(HEADERS_MS, limits.requestMs);
  const options = {
    requestTimeout: limits.requestMs,
    headersTimeout: headersMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
  };
  const server = new BothHttpServer(options, handler, {
    ...limits,
    firstBytesMs: headersMs,
    underWay: MOST_UNDER_WAY,
  });
  return server.setTimeout(limits.idleMs);
}
