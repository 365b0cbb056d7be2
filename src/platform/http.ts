import { Agent } from 'undici';
import { ACCEPTED_ENCODINGS } from './http-body.js';
import { Exchange } from './http-exchange.js';
import type { OutgoingRequest, HttpResult } from './http-messages.js';

const CONNECT_TIMEOUT_MS = 3_000;
/** Sockets per server: enough for a backfill with many requests in flight and everything else. */
const CONNECTIONS_PER_ORIGIN = 32;
const KEEP_ALIVE_MS = 15_000;
/** A connection for `ownConnection` requests is kept nearly as long as the server promises: `BEFORE_PROMISED_MS` less. */
const OWN_KEEP_ALIVE_MS = 600_000;
const BEFORE_PROMISED_MS = 500;

/**
 * An HTTP client for servers that are not trusted. Every answer is bounded in bytes and time, redirects are
 * reported and not followed, and nothing is tried twice. Connections are kept and shared per origin, so one slow
 * server delays no other.
 */
export class HttpClient {
  private readonly agent = new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    connections: CONNECTIONS_PER_ORIGIN,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: 16_384,
    pipelining: 1,
  });
  private readonly ownAgent = new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    connections: 1,
    keepAliveTimeout: OWN_KEEP_ALIVE_MS,
    keepAliveMaxTimeout: OWN_KEEP_ALIVE_MS,
    keepAliveTimeoutThreshold: BEFORE_PROMISED_MS,
    maxHeaderSize: 16_384,
    pipelining: 1,
  });
  /** Number of own connections opened so far; `ownConnections` has the last one of each origin. */
  private opened = 0;
  private readonly ownConnections = new Map<string, number>();

  constructor() {
    this.ownAgent.on('connect', ({ origin }) => this.ownConnections.set(origin, (this.opened += 1)));
  }

  /** Never rejects: failures are returned as values. */
  request(request: OutgoingRequest): Promise<HttpResult> {
    return new Promise((resolve) => {
      const isOwn = request.ownConnection === true;
      const exchange = new Exchange(request, resolve, () => (isOwn ? this.ownConnection(request) : null));
      if (request.signal?.aborted) {
        return;
      }
      try {
        (isOwn ? this.ownAgent : this.agent).dispatch(dispatchOptions(request), exchange);
      } catch (error) {
        exchange.onResponseError(null, error as Error);
      }
    });
  }

  /** Closes every connection at once; requests under way end as failures. */
  async close(): Promise<void> {
    await Promise.all([this.agent.destroy(), this.ownAgent.destroy()]);
  }

  private ownConnection({ url }: OutgoingRequest): number | null {
    return this.ownConnections.get(new URL(url).origin) ?? null;
  }
}

function dispatchOptions(request: OutgoingRequest): Agent.DispatchOptions {
  const url = new URL(request.url);
  const headers: Record<string, string> = {
    accept: 'application/json, text/plain;q=0.9, */*;q=0.1',
    // A cached answer does not show the node's present state.
    'cache-control': 'no-cache',
    'user-agent': 'hindsight',
  };
  if (url.username !== '' || url.password !== '') {
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers['authorization'] = `Basic ${Buffer.from(user).toString('base64')}`;
  }
  if (request.json !== undefined) {
    headers['content-type'] = 'application/json';
  }
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.json === undefined ? 'GET' : 'POST',
    body: request.json ?? null,
    headers: { ...headers, ...lowerCase(request.headers), 'accept-encoding': ACCEPTED_ENCODINGS },
    headersTimeout: request.limits.headersMs,
    // The limit on the total covers the body, however slowly it trickles in.
    bodyTimeout: 0,
  };
}

function lowerCase(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
