import type { Server } from 'node:http';
import { RouteConfig, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiError } from '../errors.js';

/** Marks a route that parses its body itself, so that it reports errors in its own form. */
export const TakesBody = (): MethodDecorator => RouteConfig({ takesBody: true });

/** Body types of node calls besides JSON. */
const CALL_TYPES = /^application\/(?:proto|grpc|grpc-web)\b/;

/** Passes the raw bytes of the body to routes with {@link TakesBody}. To be called before `listen`. */
export function readBodies(app: NestFastifyApplication): void {
  const instance = app.getHttpAdapter().getInstance();
  const readJson = instance.getDefaultJsonParser('error', 'error');
  app.useBodyParser<Server>('application/json', {}, (request, body, done) => {
    if (takesBody(request)) done(null, body);
    else void readJson(request, body.toString(), done);
  });
  instance.addContentTypeParser(CALL_TYPES, { parseAs: 'buffer' }, (request, body, done) => {
    if (takesBody(request)) done(null, body);
    else done(unsupported());
  });
  // A route with `TakesBody` handles other types itself; the body stays unread.
  instance.addContentTypeParser('*', (request, _body, done) => {
    if (takesBody(request)) done(null, undefined);
    else done(unsupported());
  });
}

function takesBody({ routeOptions }: { readonly routeOptions: { readonly config: object } }): boolean {
  return 'takesBody' in routeOptions.config;
}

function unsupported(): ApiError {
  return new ApiError('BAD_USER_INPUT', 'Unsupported Media Type', {}, 415);
}
