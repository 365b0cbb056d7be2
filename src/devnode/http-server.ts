import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { printJson } from '../domain/node-interface/print-json.js';
import { BothHttpServer } from '../platform/both-http.js';
import type { Clock } from '../platform/clock.js';

/** A request, its body read to the end. */
export interface NodeRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** `bytes` as text. */
  body: string;
  /** Aborted when the client leaves before it has its answer. */
  signal: AbortSignal;
}

/** An answer; a body without a type has no `content-type` header. */
export interface DevnodeAnswer {
  status: number;
  type?: string;
  body: string | Buffer;
  headers?: Readonly<Record<string, string>>;
  /** Sent after the body. */
  trailers?: Readonly<Record<string, string>>;
}

/** Answers a request; `dropped` closes the connection instead. */
type NodeHandler = (request: NodeRequest) => Promise<DevnodeAnswer | 'dropped'>;

const MAX_BODY_BYTES = 1024 * 1024;

/** Node's own defaults, and as many concurrent requests as real nodes take. */
const LIMITS = { firstBytesMs: 60_000, requestMs: 300_000, idleMs: 300_000, underWay: 250 };

/** A listening server whose port stays the same when it is closed and opened again. */
export class DevnodeServer {
  private server: Server | undefined;

  constructor(
    private readonly host: string,
    private port: number,
    private readonly clock: Clock,
    private readonly handler: NodeHandler,
    private readonly maxBodyBytes = MAX_BODY_BYTES,
  ) {}

  get url(): string {
    return `http://${this.host}:${this.port}`;
  }

  /** Listens; for port 0 a free port is taken and kept. Rejects with `EADDRINUSE` when the port is busy. */
  async open(): Promise<void> {
    const respond = (request: IncomingMessage, response: ServerResponse): void => {
      // Read now: an aborted request has no socket any more.
      const { socket } = request;
      this.answer(request, response).catch(() => socket.destroy());
    };
    const server = new BothHttpServer({}, respond, LIMITS);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.port, this.host, resolve);
    });
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Opens or closes the port, unless it is so already. */
  async setOpen(isOpen: boolean): Promise<void> {
    if (isOpen !== (this.server !== undefined)) await (isOpen ? this.open() : this.close());
  }

  /** Closes the port and every connection at once. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server) {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://node');
    const bytes = await readBody(request, this.maxBodyBytes);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { method = 'GET', headers } = request;
    const answer = await this.handler({
      method,
      path: url.pathname,
      query: url.searchParams,
      headers,
      bytes,
      body: bytes.toString('utf8'),
      signal: gone.signal,
    });
    if (answer === 'dropped') {
      request.socket.destroy();
      return;
    }
    const { status, type, body, headers: given = {}, trailers = {} } = answer;
    const trailing = Object.keys(trailers);
    response.writeHead(status, {
      date: new Date(this.clock.now()).toUTCString(),
      ...given,
      ...(type !== undefined && { 'content-type': type }),
      // Trailers cannot follow a body whose length is known.
      ...(trailing.length > 0
        ? { trailer: trailing.join(', ') }
        : { 'content-length': Buffer.byteLength(body) }),
    });
    if (trailing.length > 0) response.addTrailers(trailers);
    response.end(method === 'HEAD' ? undefined : body);
  }
}

async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limit) throw new Error(`The request has more than ${limit} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Plain text as Go's `http.Error` sends it. */
export function errorText(status: number, text: string): DevnodeAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}

/** The node's answer to an unknown path. */
export const PAGE_NOT_FOUND = errorText(404, '404 page not found');

/** JSON in which a `bigint` is a number with all its digits. */
export function jsonAnswer(value: unknown, status = 200, end = ''): DevnodeAnswer {
  return { status, type: 'application/json', body: printJson(value) + end };
}
