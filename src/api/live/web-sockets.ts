import websocket from '@fastify/websocket';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { handleProtocols } from 'graphql-ws';
import { type BothHttpServer } from '../../platform/both-http.js';
import type { HttpRequest } from '../graphql/http-messages.js';
import { BODY_LIMIT } from '../graphql/query-cost.js';
import type { LiveSocket } from './live-connection.js';
import { LiveConnections } from './live-connections.js';

/** The path of subscriptions, that of queries. */
export const LIVE_PATH = '/graphql';

/** Serves subscriptions by WebSockets. To be called before the routes are registered. */
export async function serveWebSockets(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpAdapter().getInstance();
  const live = app.get(LiveConnections, { strict: false });
  // The route of queries belongs to the GraphQL library; the plugin gives it a second handler.
  server.addHook('onRoute', (route) => {
    if (route.url !== LIVE_PATH || route.method !== 'GET') return;
    const wsHandler = (socket: LiveSocket, request: HttpRequest): void => live.serve(socket, request);
    Object.assign(route, { wsHandler });
  });
  const { webSockets } = server.server as BothHttpServer;
  await server.register(websocket, {
    options: { server: webSockets as never, maxPayload: BODY_LIMIT, handleProtocols },
    errorHandler: (_error, socket: LiveSocket) => socket.terminate(),
  });
}
