import type { HttpClient } from '../platform/http.js';
import type { HttpLimits, HttpResult } from '../platform/http-messages.js';

/** One base address of a node, with the headers that the settings want sent along. */
export class NodeServer {
  private readonly baseUrl: string;

  constructor(
    private readonly http: HttpClient,
    url: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {
    this.baseUrl = url.replace(/\/+$/, '');
  }

  /** `path` begins with a slash and may carry a query. */
  get(path: string, limits: HttpLimits, signal?: AbortSignal): Promise<HttpResult> {
    return this.http.request({
      url: this.baseUrl + path,
      headers: this.headers,
      limits,
      ...(signal && { signal }),
    });
  }

  post(path: string, json: string, limits: HttpLimits, signal?: AbortSignal): Promise<HttpResult> {
    return this.http.request({
      url: this.baseUrl + path,
      json,
      headers: this.headers,
      limits,
      ...(signal && { signal }),
    });
  }
}
