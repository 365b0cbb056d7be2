import { TOO_MANY_REQUESTS } from '../domain/node-interface/answer-form.js';
import type { Millis } from '../domain/time.js';
import type { Clock } from '../platform/clock.js';
import type { HttpClient } from '../platform/http.js';
import type {
  HttpLimits,
  HttpResponse,
  HttpResult,
  OutgoingRequest,
  TlsFiles,
} from '../platform/http-messages.js';

/** The wait after 429 if the answer names none, and the longest wait: the node is not monitored meanwhile. */
const USUAL_WAIT_MS: Millis = 5_000;
const LONGEST_WAIT_MS: Millis = 300_000;

/** Settings of one server. */
interface ServerSettings {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly tls?: TlsFiles | undefined;
  /** Whether the process at this address answers itself; if left out, inferred from its answers. */
  readonly direct?: boolean | undefined;
}

/** One base address of a node, with its settings. */
export class NodeServer {
  private readonly baseUrl: string;
  private readonly mayBeDirect: boolean;
  /** The last answer that asked for fewer requests, and until when it applies by the monotonic clock. */
  private refusal: { readonly answer: HttpResponse; readonly until: Millis } | undefined;

  constructor(
    private readonly http: HttpClient,
    private readonly clock: Pick<Clock, 'monotonic'>,
    url: string,
    private readonly settings: ServerSettings = {},
  ) {
    this.baseUrl = url.replace(/\/+$/, '');
    const { protocol, pathname } = new URL(this.baseUrl);
    this.mayBeDirect = protocol === 'http:' && pathname === '/';
  }

  /** `path` begins with a slash and may carry a query. */
  get(path: string, limits: HttpLimits, signal?: AbortSignal): Promise<HttpResult> {
    return this.ask(path, { limits, ...(signal && { signal }) });
  }

  /** Like `get`, but over a connection that stays open between such requests: see {@link processOf}. */
  watch(path: string, limits: HttpLimits, signal?: AbortSignal): Promise<HttpResult> {
    return this.ask(path, { limits, ownConnection: true, ...(signal && { signal }) });
  }

  /**
   * The connection of an answer to {@link watch}. Two answers over the same connection, with nothing in between, come from one
   * process that ran all the time between them. A node serves plain HTTP, at the root of its address. Null if it is not known
   * that nothing is in between.
   */
  processOf(result: HttpResult): number | null {
    if (result.kind === 'failure') return null;
    const { connection, isProxied } = result.route;
    return (this.settings.direct ?? (this.mayBeDirect && !isProxied)) ? connection : null;
  }

  post(path: string, json: string, limits: HttpLimits, signal?: AbortSignal): Promise<HttpResult> {
    return this.ask(path, { json, limits, ...(signal && { signal }) });
  }

  /** While the address asks for fewer requests, that answer is returned for every request. */
  private async ask(path: string, request: Omit<OutgoingRequest, 'url' | 'headers'>): Promise<HttpResult> {
    const { refusal } = this;
    if (refusal && this.clock.monotonic() < refusal.until) return refusal.answer;
    const { headers = {}, tls } = this.settings;
    const result = await this.http.request({ ...request, url: this.baseUrl + path, headers, tls });
    if (result.kind === 'response' && result.status === TOO_MANY_REQUESTS) {
      const waitMs = Math.min(result.retryAfterMs ?? USUAL_WAIT_MS, LONGEST_WAIT_MS);
      // The node's clock has moved on by the time the answer is returned again.
      const { nodeClock: _, ...answer } = result;
      this.refusal = { answer, until: this.clock.monotonic() + waitMs };
    }
    return result;
  }
}
