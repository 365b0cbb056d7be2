import type { HttpClient } from '../platform/http.js';
import type { HttpLimits, HttpRequest, HttpResult } from '../platform/http-messages.js';

/** One base address of a node, with the headers that the settings want sent along. */
export class NodeServer {
  private readonly baseUrl: string;
  private readonly mayBeDirect: boolean;

  /** @param direct whether the process at this address answers itself; left out: its answers tell */
  constructor(
    private readonly http: HttpClient,
    url: string,
    private readonly headers: Readonly<Record<string, string>> = {},
    private readonly direct?: boolean,
  ) {
    this.baseUrl = url.replace(/\/+$/, '');
    const { protocol, pathname } = new URL(this.baseUrl);
    this.mayBeDirect = protocol === 'http:' && pathname === '/';
  }

  /** `path` begins with a slash and may carry a query. */
  get(path: string, limits: HttpLimits, signal?: AbortSignal): Promise<HttpResult> {
    return this.ask(path, { limits, ...(signal && { signal }) });
  }

  /** As `get`, over a connection that stays open between such requests: see {@link processOf}. */
  watch(path: string, limits: HttpLimits, signal?: AbortSignal): Promise<HttpResult> {
    return this.ask(path, { limits, ownConnection: true, ...(signal && { signal }) });
  }

  /**
   * What tells that two answers to {@link watch} are of one process, which lived all the time between them: the same
   * connection, with nothing in between. A node serves plain HTTP, at the root of its address. Null where that is not known.
   */
  processOf(result: HttpResult): number | null {
    if (result.kind === 'failure') return null;
    const { connection, isProxied } = result.route;
    return (this.direct ?? (this.mayBeDirect && !isProxied)) ? connection : null;
  }

  post(path: string, json: string, limits: HttpLimits, signal?: AbortSignal): Promise<HttpResult> {
    return this.ask(path, { json, limits, ...(signal && { signal }) });
  }

  private ask(path: string, request: Omit<HttpRequest, 'url' | 'headers'>): Promise<HttpResult> {
    return this.http.request({ ...request, url: this.baseUrl + path, headers: this.headers });
  }
}
