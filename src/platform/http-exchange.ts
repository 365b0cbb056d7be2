import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { ACCEPTED_ENCODINGS, BodyCollector, isReadable } from './http-body.js';
import { describeFailure, type FailureReason } from './http-failure.js';
import type { OutgoingRequest, HttpResult, Route } from './http-messages.js';

/** Most characters of a Content-Encoding quoted in an error. */
const LONGEST_ENCODING = 40;

/** One request and its answer; settles exactly once. */
export class Exchange implements Dispatcher.DispatchHandler {
  private readonly startedAt = performance.now();
  private readonly timer: NodeJS.Timeout;
  private readonly onAbort = () => this.fail('ABORTED', 'cancelled by the caller');
  private controller: Dispatcher.DispatchController | undefined;
  private settled = false;
  /** The server has sent all of its answer. */
  private ended = false;
  private body: BodyCollector | undefined;
  private status = 0;
  private contentType = '';
  private location: string | undefined;
  private leftOut: string | undefined;
  private retryAfterMs: number | undefined;
  private nodeClock: number | undefined;
  private route: Route = { connection: null, isProxied: false, isAged: false };

  /** @param connection returns the number of the connection, called when the response begins */
  constructor(
    private readonly request: OutgoingRequest,
    private readonly resolve: (result: HttpResult) => void,
    private readonly connection: () => number | null,
  ) {
    const { totalMs } = request.limits;
    this.timer = setTimeout(() => this.fail('TIMEOUT', `not complete after ${totalMs} ms`), totalMs);
    if (request.signal?.aborted) {
      this.onAbort();
    } else if (request.signal) {
      // Many requests of one caller share a signal; that is no leak.
      setMaxListeners(0, request.signal);
      request.signal.addEventListener('abort', this.onAbort, { once: true });
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.settled) {
      // Aborted while it waited for a connection: it must not be sent any more.
      controller.abort(new Error('given up'));
    }
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200 || this.settled) {
      return;
    }
    this.status = status;
    this.contentType = firstOf(headers['content-type']);
    this.location = firstOf(headers['location']) || undefined;
    this.leftOut = firstOf(headers['x-hindsight-missing']) || undefined;
    const clock = Date.parse(firstOf(headers['date']));
    this.nodeClock = Number.isNaN(clock) ? undefined : clock;
    this.retryAfterMs = readRetryAfter(firstOf(headers['retry-after']), this.nodeClock);
    this.route = routeOf(headers, this.connection());
    const encoding = firstOf(headers['content-encoding']).trim().toLowerCase();
    this.body = new BodyCollector(this.request.limits.bodyBytes, encoding, {
      done: () => this.answer(false),
      full: () => this.answer(true),
      broken: (error) => this.fail('OTHER', `the ${encoding} body cannot be decompressed: ${error.message}`),
      pause: () => controller.pause(),
      resume: () => controller.resume(),
    });
    if (!isReadable(encoding)) {
      const name = encoding.slice(0, LONGEST_ENCODING);
      this.fail('OTHER', `the answer is compressed by ${name}; Hindsight accepts only ${ACCEPTED_ENCODINGS}`);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.body?.write(chunk);
  }

  onResponseEnd(): void {
    this.ended = true;
    this.body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const { reason, detail } = describeFailure(error);
    this.fail(reason, detail);
  }

  private answer(truncated: boolean): void {
    const body = this.body?.take() ?? Buffer.alloc(0);
    const { status, contentType, location, leftOut, retryAfterMs, nodeClock, route } = this;
    this.settle({
      kind: 'response',
      status,
      route,
      contentType,
      body,
      truncated,
      latencyMs: this.elapsed(),
      ...(location !== undefined && { location }),
      ...(leftOut !== undefined && { leftOut }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(nodeClock !== undefined && { nodeClock }),
    });
  }

  private fail(reason: FailureReason, detail: string): void {
    if (this.settled) {
      return;
    }
    const { status, contentType, nodeClock } = this;
    const partial = this.body && { status, contentType, body: this.body.take() };
    this.settle({
      kind: 'failure',
      reason,
      detail,
      latencyMs: this.elapsed(),
      ...(nodeClock !== undefined && { nodeClock }),
      ...(partial && { partial }),
    });
  }

  private settle(result: HttpResult): void {
    if (this.settled) {
      return;
    }
    this.settled = true;
    clearTimeout(this.timer);
    this.request.signal?.removeEventListener('abort', this.onAbort);
    this.body?.stop();
    // Nobody reads the rest: a server that keeps sending, or waits for us to read, would keep the socket open for ever.
    if (!this.ended) this.controller?.abort(new Error('settled'));
    this.resolve(result);
  }

  /** Milliseconds since the call, to a tenth. */
  private elapsed(): number {
    return Math.round((performance.now() - this.startedAt) * 10) / 10;
  }
}

/**
 * The wait that a server requests, in milliseconds; undefined when it cannot be read.
 * @param now the server's clock, to which a date refers; undefined when unknown
 */
export function readRetryAfter(text: string, now: number | undefined): number | undefined {
  const [, seconds] = /^\s*(\d{1,6})\s*$/.exec(text) ?? [];
  if (seconds !== undefined) return Number(seconds) * 1_000;
  // Any form of a date has letters, and `Date.parse` takes bare numbers for years.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : NaN;
  return now === undefined || Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function firstOf(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? '';
}

/**
 * Headers that describe the response itself; the real node sends no others. Any other header may come from a proxy or cache:
 * `Server`, `Via`, `X-Cache`, `CF-Ray` and the like.
 */
const OWN_HEADERS = new Set(
  (
    'content-type content-length content-encoding content-language transfer-encoding connection keep-alive date vary ' +
    'etag last-modified cache-control pragma expires trailer allow x-content-type-options'
  ).split(' '),
);

/** @param headers keyed by lower-case name */
export function routeOf(headers: Readonly<Record<string, unknown>>, connection: number | null): Route {
  const isForeign = (name: string) => !OWN_HEADERS.has(name) && !name.startsWith('access-control-');
  return {
    connection,
    isProxied: Object.keys(headers).some(isForeign),
    isAged: headers['age'] !== undefined,
  };
}
