import type { HttpClient } from '../platform/http.js';
import type { HttpLimits, HttpRequest, HttpResult } from '../platform/http-messages.js';

/** One base address of a node, with the headers that the settings want sent along. */
export class NodeServer {
  private readonly baseUrl: string;
  private refused = 0;

  constructor(
    private readonly http: HttpClient,
    url: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {
    this.baseUrl = url.replace(/\/+$/, '');
  }

  /** How many connections were refused so far: nobody listened, so nothing ran there. */
  get refusals(): number {
    return this.refused;
  }

  /** `path` begins with a slash and may carry a query. */
  get(path: string, limits: HttpLimits, signal?: AbortSignal): Promise<HttpResult> {
    return this.ask(path, { limits, ...(signal && { signal }) });
  }

  post(path: string, json: string, limits: HttpLimits, signal?: AbortSignal): Promise<HttpResult> {
    return this.ask(path, { json, limits, ...(signal && { signal }) });
  }

  private async ask(path: string, request: Omit<HttpRequest, 'url' | 'headers'>): Promise<HttpResult> {
    const result = await this.http.request({ ...request, url: this.baseUrl + path, headers: this.headers });
    if (result.kind === 'failure' && result.reason === 'REFUSED') this.refused += 1;
    return result;
  }
}
