import compress from '@fastify/compress';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { NEXT_CURSOR, UNREAD } from '../export/export.controller.js';
import type { HttpRequest } from '../graphql/http-messages.js';
import { LiveConnections } from '../live/live-connections.js';
import { serveWebSockets } from '../live/web-sockets.js';
import { NEXT_BEFORE, sendAnswer, PROVENANCE_HEADERS } from '../node-interface/node-answer.js';
import { refuseAsNode } from '../node-interface/node-calls.js';
import { HtmlPage, PAGE_POLICY } from '../pages/static-files.js';
import { refuse } from './answers.js';
import { ErrorMapper } from './error-mapper.js';
import { openRateLimits } from './rate-limits.js';
import { findRefusal } from './refusals.js';
import { readBodies } from './takes-body.js';
import { traceRequests } from './trace-requests.js';
import { RequestMetrics } from './request-metrics.js';

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
  const options = app.get<ApiOptions>(API_OPTIONS, { strict: false });
  const { corsOrigins } = options;
  const server = app.getHttpAdapter().getInstance();
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
  traceRequests(app);
  // Registered before the routes. Compressed request bodies are not unpacked, because their unpacked size is unknown.
  await server.register(compress, { ...GZIP, globalDecompression: false });
  readBodies(app);
  const limitRate = await openRateLimits(app);
  await serveWebSockets(app);
  const live = app.get(LiveConnections, { strict: false });
  const errors = app.get(ErrorMapper, { strict: false });
  const metrics = app.get(RequestMetrics, { strict: false });
  server.addHook('onResponse', async ({ routeOptions, method }, reply) => {
    metrics.answered(routeOptions.url, method, reply.statusCode, reply.elapsedTime);
  });
  server.addHook('onRequest', async (request, reply) => {
    try {
      // Rejected requests count, too.
      await limitRate(request);
      if (request.ws) live.requireAdmission(request);
    } catch (error) {
      return refuse(reply, errors.tell(error));
    }
    const refusal = findRefusal(request);
    const asNode = request.is404 || endsInSlash(request.raw.url) ? refuseAsNode(request.raw.url) : undefined;
    if (asNode) {
      sendAnswer(reply, asNode);
      return reply;
    }
    if (refusal && request.is404 && wantsPage(request)) {
      const html = missingPage.readFor(options);
      return reply
        .code(refusal.status)
        .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY })
        .send(html);
    }
    if (refusal) return refuse(reply, refusal);
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
