import { EventEmitter } from 'node:events';
import { Server, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import {
  constants,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { Socket } from 'node:net';

/** Limits per client connection; times in milliseconds. */
export interface BothHttpLimits {
  /** From accepting a connection until its protocol is known; an incomplete HTTP/2 preface does not count. */
  readonly firstBytesMs: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
  /** Most concurrent requests per connection. */
  readonly underWay: number;
  /** The path on which WebSockets are served; none are if left out. */
  readonly webSocketPath?: string;
}

/** Answers a request of either protocol: Node gives HTTP/2 requests the same form. */
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** First bytes of an HTTP/2 connection; no HTTP/1 method begins like this. */
const PREFACE = Buffer.from('PRI');

/** The socket of each HTTP/2 session. */
const connections = new WeakMap<object, Socket>();

/**
 * The connection of a request. For HTTP/2, `request.socket` belongs to the single request and does not show the others on the
 * connection.
 */
export function connectionOf(request: IncomingMessage): Socket {
  const session = streamOf(request)?.session;
  return (session && connections.get(session)) ?? request.socket;
}

/** The stream of an HTTP/2 request; undefined for HTTP/1. */
export function streamOf(
  message: IncomingMessage | ServerResponse,
): Http2ServerRequest['stream'] | undefined {
  return 'stream' in message ? (message.stream as Http2ServerRequest['stream']) : undefined;
}

/** Refuses a request without an answer: HTTP/1 closes the connection, HTTP/2 signals that the request may be sent again. */
export function turnAway(request: IncomingMessage): void {
  const stream = streamOf(request);
  if (stream) stream.close(constants.NGHTTP2_REFUSED_STREAM);
  else request.socket.destroy();
}

/**
 * Serves HTTP/1 and cleartext HTTP/2 on one port: the first bytes of a connection select the protocol. Events and settings are
 * those of the HTTP/1 server.
 */
export class BothHttpServer extends Server {
  /** Emits `upgrade`, like an HTTP server, but only for the handshakes of WebSockets on their path. */
  readonly webSockets = new EventEmitter();
  private readonly open = new Set<Socket>();
  private readonly http2: Http2Server;

  constructor(
    options: ServerOptions,
    handler: Handler,
    private readonly limits: BothHttpLimits,
  ) {
    super(options, handler);
    this.http2 = createHttp2(handler, limits);
    // Node's own handler for new connections.
    const [serveHttp1] = this.listeners('connection') as [(this: Server, socket: Socket) => void];
    this.removeListener('connection', serveHttp1);
    this.on('connection', (socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
      this.look(socket, (isHttp2) => {
        if (isHttp2) this.serveHttp2(socket);
        else serveHttp1.call(this, socket);
      });
    });
    const { webSocketPath } = limits;
    // Without a listener, Node declines every upgrade by an ordinary answer.
    if (webSocketPath === undefined) return;
    this.on('upgrade', (request, socket: Socket, head) => {
      // The answer would wait forever for an earlier one on the same connection.
      if (Reflect.get(socket, '_httpMessage')) {
        socket.destroy();
        return;
      }
      if (isHandshake(request, webSocketPath)) {
        this.webSockets.emit('upgrade', request, socket, head);
        return;
      }
      // Any other upgrade is declined as without a listener. Some clients offer one with each request, such as that to HTTP/2.
      for (const event of ['resume', 'pause', 'drain']) socket.removeAllListeners(event);
      socket.unshift(Buffer.concat([withoutUpgrade(request), head]));
      serveHttp1.call(this, socket);
    });
  }

  override closeAllConnections(): void {
    for (const socket of this.open) socket.destroy();
  }

  private serveHttp2(socket: Socket): void {
    this.http2.once('session', (session) => connections.set(session, socket));
    this.http2.emit('connection', socket);
  }

  /** Peeks at the first bytes of a connection and leaves them unread for the server that takes it. */
  private look(socket: Socket, decided: (isHttp2: boolean) => void): void {
    let seen: Buffer = Buffer.alloc(0);
    const giveUp = (error: Error): void => {
      if (!this.emit('clientError', error, socket)) socket.destroy();
    };
    const timer = setTimeout(
      () => giveUp(Object.assign(new Error('no request'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })),
      this.limits.firstBytesMs,
    );
    const read = (): void => {
      const piece = socket.read() as Buffer | null;
      if (piece) seen = Buffer.concat([seen, piece]);
      const start = seen.subarray(0, PREFACE.length);
      if (start.length < PREFACE.length && PREFACE.subarray(0, start.length).equals(start)) return;
      stop();
      socket.unshift(seen);
      decided(start.equals(PREFACE));
    };
    const stop = (): void => {
      clearTimeout(timer);
      socket.off('readable', read).off('end', end).off('error', giveUp).off('close', stop);
    };
    const end = (): void => void socket.end();
    socket.on('readable', read).once('end', end).once('error', giveUp).once('close', stop);
  }
}

function isHandshake({ method, url, headers }: IncomingMessage, path: string): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && url?.split('?', 1)[0] === path;
}

/** The head of a request as it came, but for the headers that offer an upgrade. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!/^(?:upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function createHttp2(handler: Handler, { requestMs, idleMs, underWay }: BothHttpLimits): Http2Server {
  const server = createServer({ settings: { maxConcurrentStreams: underWay } });
  server.setTimeout(idleMs);
  server.on('timeout', (session: ServerHttp2Session) => session.destroy());
  // A client that sends invalid HTTP/2 loses its connection, and nothing is logged.
  server.on('sessionError', () => undefined);
  server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const timer = setTimeout(() => {
      if (!request.complete) request.stream.close(constants.NGHTTP2_CANCEL);
    }, requestMs);
    request.stream.once('close', () => clearTimeout(timer));
    // HTTP/2 sends the host as `:authority`; handlers read `host`.
    request.headers.host ??= request.authority;
    handler(request as never, response as never);
  });
  return server;
}
