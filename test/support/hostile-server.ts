import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A server over a real socket whose answers the test decides. */
export interface HostileServer {
  url: string;
  /** `METHOD path` of every request, in order. */
  requests: string[];
  /** Replaces its answers from now on. */
  answerWith(listener: RequestListener): void;
  close(): Promise<void>;
}

export async function startHostileServer(listener: RequestListener, port = 0): Promise<HostileServer> {
  let current = listener;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.on('error', () => undefined);
    current(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answerWith: (next) => {
      current = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A listener that answers every request with the same bytes. */
export function answerOf(
  body: string | Buffer,
  { status = 200, type = 'application/json', headers = {} } = {},
): RequestListener {
  return (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(body);
  };
}

/** Sends `head` and then `chunk` while the client reads, at the reader's speed, at most `bytes` in all. */
export function answerEndlessly(head: string, chunk: Buffer, bytes: number): RequestListener {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(head);
    let sent = 0;
    const pump = (): void => {
      while (sent < bytes && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) {
          response.once('drain', pump);
          return;
        }
      }
      response.end();
    };
    pump();
  };
}

/** An answer that continues after its end, and the state of its sockets. */
export interface OverlongAnswers {
  readonly listener: RequestListener;
  /** The number of open sockets with such an answer. */
  open(): number;
  /** Resolves when no such socket is open. */
  closed(): Promise<void>;
}

/** Sends a complete compressed body, and then zeros while the client reads. */
export function answerPastTheEnd(encoding: string, packed: Buffer): OverlongAnswers {
  const open = new Set<Socket>();
  const zeros = Buffer.alloc(65_536);
  let tell: (() => void)[] = [];
  const listener: RequestListener = (request, response) => {
    const { socket } = request;
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0) for (const resolve of tell.splice(0)) resolve();
    });
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
    response.write(packed);
    const pump = (): void => {
      if (response.destroyed) return;
      if (response.write(zeros)) setImmediate(pump);
      else response.once('drain', pump);
    };
    pump();
  };
  return {
    listener,
    open: () => open.size,
    closed: () =>
      new Promise((resolve) => {
        if (open.size === 0) resolve();
        else tell = [...tell, resolve];
      }),
  };
}

/** Sends `head` and then one byte every `everyMs`, without end. */
export function answerByDrops(head: string, everyMs: number): RequestListener {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(head);
    const timer = setInterval(() => response.write(' '), everyMs);
    response.on('close', () => clearInterval(timer));
  };
}

/** Begins an answer, and then sends one more header every `everyMs`, without end. */
export function answerByHeaders(everyMs: number): RequestListener {
  return ({ socket }) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('X-More: yes\r\n'), everyMs);
    socket.once('close', () => clearInterval(timer));
  };
}
