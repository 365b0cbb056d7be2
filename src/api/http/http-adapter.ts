import type { RequestListener, Server, ServerResponse } from 'node:http';
import helmet from '@fastify/helmet';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { BothHttpServer, connectionOf, turnAway } from '../../platform/both-http.js';
import type { RareLog } from '../../platform/rare-log.js';
import { keepPace, type ClientPace } from './answer-pace.js';
import { JSON_TYPE, refuse } from './answers.js';
import { Connections, MOST_UNDER_WAY } from './connections.js';
import { LIVE_PATH } from '../live/web-sockets.js';
import { bringsBody, refuseAddress, refuseConnection } from './refusals.js';
import type { RoutedRequest } from './routed-request.js';

/** Limits for one client; milliseconds. */
interface ClientLimits extends ClientPace {
  /** The limit from the first to the last byte of a request. */
  readonly requestMs: number;
  /** The limit without a byte in either direction. Longer than any query runs. */
  readonly idleMs: number;
  /** The limit between two requests. Longer than the 60 s of most proxies, so that none sends into a connection that closes. */
  readonly keepAliveMs: number;
  /** The interval at which request times are checked. */
  readonly checkMs: number;
  /** The most connections at the same time; a few more are accepted, but only get probes answered. */
  readonly connections: number;
}

/** Limits that are left out have their default. */
export type GivenLimits = Pick<ClientLimits, 'connections'> & Partial<ClientLimits>;

const ORDINARY_LIMITS: Omit<ClientLimits, 'connections'> = {
  requestMs: 30_000,
  answerMs: 60_000,
  stallMs: 30_000,
  slowMs: 3_000,
  idleMs: 120_000,
  keepAliveMs: 65_000,
  checkMs: 5_000,
};

/** The limit for the headers of a request, and for the first bytes of a connection. */
const HEADERS_MS = 10_000;

/** Responses may load nothing and may not be framed; pages set a policy of their own. */
const POLICY = { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } };

/**
 * Creates the web server: its limits, and the headers of every response.
 * @param rewrite maps a request to the path, with its query, under which it is routed
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
    // Called before all hooks.
    frameworkErrors: (error: Error, _request: unknown, { raw }: { raw: Pick<ServerResponse, 'socket'> }) => {
      if (raw.socket) refuseAddress(error, raw.socket);
    },
  });
  const instance = adapter.getInstance();
  const connections = new Connections(limits.connections, complaints);
  connections.watch(instance.server);
  // The server speaks plain HTTP, where HSTS has no effect; a TLS proxy in front can add it.
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
    reply.header('connection', 'close');
    return refuse(reply, refusal);
  });
  instance.addHook('onSend', async (request, reply) => {
    // GraphQL responses are printed by us, so the web server does not know their type.
    if (!reply.hasHeader('content-type')) reply.type(JSON_TYPE);
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    // A body that was not read will not be read later.
    if (bringsBody(request) && !request.raw.complete) reply.header('connection', 'close');
    keepPace(reply.raw, limits);
  });
  return adapter;
}

function createBoth(handler: RequestListener, limits: ClientLimits): Server {
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
    webSocketPath: LIVE_PATH,
  });
  return server.setTimeout(limits.idleMs);
}
