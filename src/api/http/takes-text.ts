import type { Server } from 'node:http';
import { RouteConfig, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiError } from '../errors.js';

/** Of a route that reads the JSON of its body itself: what it refuses, it refuses in a form of its own. */
export const TakesText = (): MethodDecorator => RouteConfig({ takesText: true });

/** Hands such routes the text of a body. To be called before `listen`. */
export function readBodies(app: NestFastifyApplication): void {
  const instance = app.getHttpAdapter().getInstance();
  const readJson = instance.getDefaultJsonParser('error', 'error');
  app.useBodyParser<Server>('application/json', {}, (request, body, done) => {
    const { takesText } = request.routeOptions.config as { readonly takesText?: boolean };
    if (takesText) done(null, body.toString());
    else void readJson(request, body.toString(), done);
  });
  // Such a route says itself what it thinks of another type; the body stays unread.
  instance.addContentTypeParser('*', (request, _body, done) => {
    const { takesText } = request.routeOptions.config as { readonly takesText?: boolean };
    if (takesText) done(null, '');
    else done(new ApiError('BAD_USER_INPUT', 'Unsupported Media Type', {}, 415));
  });
}
