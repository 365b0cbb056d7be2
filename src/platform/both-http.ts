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

/** The limits of a client; times in milliseconds. */
export interface BothHttpLimits {
  /** From a connection's beginning until it is known what it speaks; half of what begins as HTTP/2 is nothing. */
  readonly firstBytesMs: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
  /** Requests that a connection may have under way. */
  readonly underWay: number;
}

/** Answers a request, whichever of the two it came by: Node gives those of HTTP/2 the same form. */
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** How a connection of HTTP/2 begins; no method of HTTP/1 does. */
const PREFACE = Buffer.from('PRI');

/** Under which connection each session of HTTP/2 runs. */
const connections = new WeakMap<object, Socket>();

/** The connection that a request came by. HTTP/2 hands out one of the request alone, which says nothing of the others on it. */
export function connectionOf(request: IncomingMessage): Socket {
  const session = streamOf(request)?.session;
  return (session && connections.get(session)) ?? request.socket;
}

/** The stream of a request of HTTP/2; undefined of HTTP/1. */
export function streamOf(
  message: IncomingMessage | ServerResponse,
): Http2ServerRequest['stream'] | undefined {
  return 'stream' in message ? (message.stream as Http2ServerRequest['stream']) : undefined;
}

/** Takes a request back unanswered: of HTTP/1 with its connection, of HTTP/2 as one that may be sent again. */
export function turnAway(request: IncomingMessage): void {
  const stream = streamOf(request);
  if (stream) stream.close(constants.NGHTTP2_REFUSED_STREAM);
  else request.socket.destroy();
}

/**
 * A server of HTTP/1 and, on the same port, of HTTP/2 in cleartext: a connection goes to the one whose bytes it begins with.
 * The events and settings of both are those of the one of HTTP/1.
 */
export class BothHttpServer extends Server {
  private readonly open = new Set<Socket>();
  private readonly http2: Http2Server;

  constructor(
    options: ServerOptions,
    handler: Handler,
    private readonly limits: BothHttpLimits,
  ) {
    super(options, handler);
    this.http2 = createHttp2(handler, limits);
    // What Node itself does with a connection.
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
  }

  override closeAllConnections(): void {
    for (const socket of this.open) socket.destroy();
  }

  private serveHttp2(socket: Socket): void {
    this.http2.once('session', (session) => connections.set(session, socket));
    this.http2.emit('connection', socket);
  }

  /** Looks at a connection's first bytes, and leaves them there for who serves it. */
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

function createHttp2(handler: Handler, { requestMs, idleMs, underWay }: BothHttpLimits): Http2Server {
  const server = createServer({ settings: { maxConcurrentStreams: underWay } });
  server.setTimeout(idleMs);
  server.on('timeout', (session: ServerHttp2Session) => session.destroy());
  // Whoever sends what is no HTTP/2 loses the connection, and leaves no trace.
  server.on('sessionError', () => undefined);
  server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const timer = setTimeout(() => {
      if (!request.complete) request.stream.close(constants.NGHTTP2_CANCEL);
    }, requestMs);
    request.stream.once('close', () => clearTimeout(timer));
    // A name is the same wherever it stands.
    request.headers.host ??= request.authority;
    handler(request as never, response as never);
  });
  return server;
}
