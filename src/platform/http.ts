import { readFileSync } from 'node:fs';
import { Agent, buildConnector } from 'undici';
import { codeOf } from './errors.js';
import { ACCEPTED_ENCODINGS } from './http-body.js';
import { Exchange } from './http-exchange.js';
import type { HttpResult, OutgoingRequest, TlsFiles } from './http-messages.js';

const CONNECT_TIMEOUT_MS = 3_000;
/** Sockets per server: enough for a backfill with many requests in flight and everything else. */
const CONNECTIONS_PER_ORIGIN = 32;
const KEEP_ALIVE_MS = 15_000;
/** A connection for `ownConnection` requests is kept nearly as long as the server promises: `BEFORE_PROMISED_MS` less. */
const OWN_KEEP_ALIVE_MS = 600_000;
const BEFORE_PROMISED_MS = 500;

interface Agents {
  readonly shared: Agent;
  /** For requests with `ownConnection`. */
  readonly own: Agent;
}

/**
 * An HTTP client for servers that are not trusted. Every answer is bounded in bytes and time, redirects are
 * reported and not followed, and nothing is tried twice. Connections are kept and shared per origin, so one slow
 * server delays no other.
 */
export class HttpClient {
  private readonly agents = new Map<TlsFiles | undefined, Agents>();
  /** Number of own connections opened so far; `ownConnections` has the last one of each origin. */
  private opened = 0;
  private readonly ownConnections = new Map<string, number>();

  /** Never rejects: failures are returned as values. */
  request(request: OutgoingRequest): Promise<HttpResult> {
    return new Promise((resolve) => {
      const isOwn = request.ownConnection === true;
      const exchange = new Exchange(request, resolve, () => (isOwn ? this.ownConnection(request) : null));
      if (request.signal?.aborted) {
        return;
      }
      try {
        this.agentsFor(request.tls)[isOwn ? 'own' : 'shared'].dispatch(dispatchOptions(request), exchange);
      } catch (error) {
        exchange.onResponseError(null, error as Error);
      }
    });
  }

  /** Closes every connection at once; requests under way end as failures. */
  async close(): Promise<void> {
    const agents = [...this.agents.values()].flatMap(({ shared, own }) => [shared, own]);
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  private agentsFor(tls: TlsFiles | undefined): Agents {
    const known = this.agents.get(tls);
    if (known !== undefined) return known;
    const made = createAgents(tls);
    made.own.on('connect', ({ origin }) => this.ownConnections.set(origin, (this.opened += 1)));
    this.agents.set(tls, made);
    return made;
  }

  private ownConnection({ url }: OutgoingRequest): number | null {
    return this.ownConnections.get(new URL(url).origin) ?? null;
  }
}

function createAgents(tls: TlsFiles | undefined): Agents {
  const common = { connect: connectWith(tls), maxHeaderSize: 16_384, pipelining: 1 };
  return {
    shared: new Agent({ ...common, connections: CONNECTIONS_PER_ORIGIN, keepAliveTimeout: KEEP_ALIVE_MS }),
    own: new Agent({
      ...common,
      connections: 1,
      keepAliveTimeout: OWN_KEEP_ALIVE_MS,
      keepAliveMaxTimeout: OWN_KEEP_ALIVE_MS,
      keepAliveTimeoutThreshold: BEFORE_PROMISED_MS,
    }),
  };
}

function connectWith(tls: TlsFiles | undefined): Agent.Options['connect'] {
  if (tls === undefined) return { timeout: CONNECT_TIMEOUT_MS };
  return (options, callback) => {
    let connect: buildConnector.connector;
    try {
      const files = {
        ca: readPem(tls, 'caFile'),
        cert: readPem(tls, 'certFile'),
        key: readPem(tls, 'keyFile'),
      };
      connect = buildConnector({ ...files, timeout: CONNECT_TIMEOUT_MS });
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    connect(options, callback);
  };
}

/** @throws Error whose message names the setting and no path */
function readPem(tls: TlsFiles, name: keyof TlsFiles): string | undefined {
  const path = tls[name];
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`the ${name} cannot be read (${codeOf(error) ?? 'unknown reason'})`, { cause: error });
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
