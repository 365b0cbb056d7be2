import { TOO_MANY_REQUESTS } from '../domain/node-interface/answer-form.js';
import type { Millis } from '../domain/time.js';
import type { Clock } from '../platform/clock.js';
import type { HttpClient } from '../platform/http.js';
import type { HttpLimits, HttpRequest, HttpResponse, HttpResult } from '../platform/http-messages.js';

/** The wait after 429 where the answer names none, and the longest: nobody sees the node meanwhile. */
const USUAL_WAIT_MS: Millis = 5_000;
const LONGEST_WAIT_MS: Millis = 300_000;

/** One base address of a node, with the headers that the settings want sent along. */
export class NodeServer {
  private readonly baseUrl: string;
  private readonly mayBeDirect: boolean;
  /** The last answer that asked for fewer requests, and until when it holds by the monotonic clock. */
  private refusal: { readonly answer: HttpResponse; readonly until: Millis } | undefined;

  /** @param direct whether the process at this address answers itself; left out: its answers tell */
  constructor(
    private readonly http: HttpClient,
    private readonly clock: Pick<Clock, 'monotonic'>,
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

  /** While the address asks for fewer requests, that answer stands for all others. */
  private async ask(path: string, request: Omit<HttpRequest, 'url' | 'headers'>): Promise<HttpResult> {
    const { refusal } = this;
    if (refusal && this.clock.monotonic() < refusal.until) return refusal.answer;
    const result = await this.http.request({ ...request, url: this.baseUrl + path, headers: this.headers });
    if (result.kind === 'response' && result.status === TOO_MANY_REQUESTS) {
      const waitMs = Math.min(result.retryAfterMs ?? USUAL_WAIT_MS, LONGEST_WAIT_MS);
      // Its clock has moved on by the time the answer is given again.
      const { nodeClock: _, ...answer } = result;
      this.refusal = { answer, until: this.clock.monotonic() + waitMs };
    }
    return result;
  }
}
