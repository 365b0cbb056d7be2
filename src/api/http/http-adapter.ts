import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import helmet from '@fastify/helmet';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { RareLog } from '../../platform/rare-log.js';
import { whenOver } from './answer-over.js';
import { JSON_TYPE } from './answers.js';
import { isLong } from './long-answers.js';
import { bringsBody, refuseAddress, refuseConnection } from './refusals.js';
import type { RoutedRequest } from './routed-request.js';

/** What one client can take of the server; milliseconds. */
interface HttpLimits {
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  /** From the first byte of an answer until the client has taken its last. */
  readonly answerMs: number;
  /** Of an answer that may take longer: until the client takes what was sent last. */
  readonly stallMs: number;
  /** Without a byte in either direction. Longer than any question takes to be answered. */
  readonly idleMs: number;
  /** Between two requests. Longer than the 60 s of most proxies, so that none sends into a connection that closes. */
  readonly keepAliveMs: number;
  /** How often the times of requests are looked at. */
  readonly checkMs: number;
  /** Connections at the same time; more are closed as they come. */
  readonly connections: number;
}

/** Those that are left out are the ordinary ones. */
export type GivenLimits = Pick<HttpLimits, 'connections'> & Partial<HttpLimits>;

const ORDINARY_LIMITS: Omit<HttpLimits, 'connections'> = {
  requestMs: 30_000,
  answerMs: 60_000,
  stallMs: 30_000,
  idleMs: 120_000,
  keepAliveMs: 65_000,
  checkMs: 5_000,
};

/** Requests that a connection may have under way, the one behind the other: most clients send one at a time. */
const MOST_UNDER_WAY = 10;

/** Headers that come at most so long after the first byte of a request. */
const HEADERS_MS = 15_000;

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
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.idleMs,
    keepAliveTimeout: limits.keepAliveMs,
    http: {
      requestTimeout: limits.requestMs,
      headersTimeout: Math.min(HEADERS_MS, limits.requestMs),
      connectionsCheckingInterval: limits.checkMs,
    },
    clientErrorHandler: refuseConnection,
    // Comes before every hook.
    frameworkErrors: (error: Error, _request: unknown, { raw }: { raw: Pick<ServerResponse, 'socket'> }) => {
      if (raw.socket) refuseAddress(error, raw.socket);
    },
  });
  const instance = adapter.getInstance();
  instance.server.maxConnections = limits.connections;
  instance.server.on('drop', () => {
    complaints.warn(`there are ${limits.connections} connections`, 'a connection was refused');
  });
  // We speak plain HTTP, where HSTS means nothing; whoever puts TLS in front says it there.
  void instance.register(helmet, {
    contentSecurityPolicy: POLICY,
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  });
  instance.addHook('onRequest', async (request, reply) => {
    if (isOneOfTooMany(request.raw.socket, reply.raw)) {
      reply.hijack();
      request.raw.socket.destroy();
    }
  });
  instance.addHook('onSend', async (request, reply) => {
    // GraphQL answers are printed by us, and then the web server does not know what they are.
    if (!reply.hasHeader('content-type')) reply.type(JSON_TYPE);
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    // What was not read will not be.
    if (bringsBody(request) && !request.raw.complete) reply.header('connection', 'close');
    if (isLong(reply.raw)) giveUpStalled(limits.stallMs, reply.raw);
    else giveUpAfter(limits.answerMs, reply.raw);
  });
  return adapter;
}

/** Requests of each connection that were not answered yet. */
const underWay = new WeakMap<Socket, number>();

/**
 * Counts a request until its answer was taken. Those that arrive together on a connection are all looked at before anybody
 * else has a turn of the event loop, and who records waits.
 */
function isOneOfTooMany(socket: Socket, answer: ServerResponse): boolean {
  const count = (underWay.get(socket) ?? 0) + 1;
  if (socket.destroyed || count > MOST_UNDER_WAY) return true;
  underWay.set(socket, count);
  whenOver(answer, () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
  return false;
}

/** A client that takes its answer drop by drop would keep it in memory. */
function giveUpAfter(
  ms: number,
  answer: { once(event: 'close', done: () => void): unknown; destroy(): unknown },
): void {
  const timer = setTimeout(() => answer.destroy(), ms);
  answer.once('close', () => clearTimeout(timer));
}

/** What a client has not taken for so long, it may never take, and somebody else waits for its place. */
function giveUpStalled(ms: number, answer: ServerResponse): void {
  let sent: number | undefined;
  const timer = setInterval(() => {
    const isWaiting = answer.writableNeedDrain && sent === answer.socket?.bytesWritten;
    if (isWaiting) answer.destroy();
    sent = answer.socket?.bytesWritten;
  }, ms);
  answer.once('close', () => clearInterval(timer));
}
