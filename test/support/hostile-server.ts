import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server over a real socket that answers as a test wants. */
export interface HostileServer {
  url: string;
  /** `METHOD path` of every request, in order. */
  requests: string[];
  /** Replaces what it answers from now on. */
  answerWith(listener: RequestListener): void;
  close(): Promise<void>;
}

export async function startHostileServer(listener: RequestListener): Promise<HostileServer> {
  let current = listener;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.on('error', () => undefined);
    current(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
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

/** Sends `head` and then `chunk` for as long as somebody reads, at the reader's speed, at most `bytes` in all. */
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

/** Sends `head` and then one byte every `everyMs`, without end. */
export function answerByDrops(head: string, everyMs: number): RequestListener {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(head);
    const timer = setInterval(() => response.write(' '), everyMs);
    response.on('close', () => clearInterval(timer));
  };
}
