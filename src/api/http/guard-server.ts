import compress from '@fastify/compress';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { NEXT_CURSOR } from '../export/export.controller.js';
import { NEXT_BEFORE, sendAnswer, STANDING_HEADERS } from '../node-interface/node-answer.js';
import { refuseAsNode } from '../node-interface/node-calls.js';
import { toAnswer } from './answers.js';
import { findRefusal } from './refusals.js';
import { readBodies } from './takes-body.js';
import { limitRates } from '../limits/rate-limits.js';

/** Seconds for which a browser need not ask again whether it may. */
const PREFLIGHT_AGE_S = 600;

/** How answers are packed for those who take it: texts, JSON and tables, where that makes them shorter. The fastest way does most of it. */
const GZIP = {
  encodings: ['gzip' as const],
  customTypes: /^text\/|json(?:;|$)/,
  zlibOptions: { level: 1 },
};

/**
 * Sets what stands before every route: which origins' pages may ask, how often anybody may, what no route takes, and who
 * reads bodies. To be called before `listen`.
 */
export async function guardServer(app: NestFastifyApplication): Promise<void> {
  const { corsOrigins } = app.get<ApiOptions>(API_OPTIONS, { strict: false });
  // Without it no answer bears a header that lets a page of another origin read it.
  if (corsOrigins.length > 0) {
    app.enableCors({
      origin: [...corsOrigins],
      methods: ['GET', 'POST'],
      allowedHeaders: ['content-type', 'authorization', 'x-api-key', 'graphql-require-preflight'],
      exposedHeaders: ['retry-after', NEXT_CURSOR, NEXT_BEFORE, ...STANDING_HEADERS],
      maxAge: PREFLIGHT_AGE_S,
    });
  }
  // Before there are routes. Of bodies that come packed the size is not known, so they are not unpacked here.
  await app
    .getHttpAdapter()
    .getInstance()
    .register(compress, { ...GZIP, globalDecompression: false });
  readBodies(app);
  await limitRates(app);
  // Counted like all others, and refused before a body is read.
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
      if (refusal) return reply.code(refusal.status).send(toAnswer(refusal));
    });
}

/** The router takes nothing for the last part of such a path. */
function endsInSlash(url = ''): boolean {
  return /^[^?]*\/(?:\?|$)/.test(url);
}
