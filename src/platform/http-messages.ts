import type { FailureReason } from './http-failure.js';

/** Limits of one exchange; times in milliseconds. */
export interface HttpLimits {
  /** Most bytes of a body after unpacking; the rest is cut off and the connection closed. */
  readonly bodyBytes: number;
  /** From sending the request to the last header. Coarse: it may be half a second late. */
  readonly headersMs: number;
  /** From the call to the last byte, the wait for a connection included, however steadily bytes arrive. */
  readonly totalMs: number;
}

/** PEM files for TLS with one server, read at each connection: renewed certificates are used without a restart. */
export interface TlsFiles {
  /** Authorities that are trusted instead of the system's. */
  readonly caFile?: string | undefined;
  /** Our certificate and its key, for a server that asks for them. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

export interface OutgoingRequest {
  /** Absolute; a user and password in it are sent as basic authentication. */
  readonly url: string;
  /** Sent by POST as `application/json`; without it the request is a GET. */
  readonly json?: string;
  /** Further headers from the settings (a proxy's token, for example); they override our own, except `accept-encoding`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls?: TlsFiles | undefined;
  readonly limits: HttpLimits;
  readonly signal?: AbortSignal;
  /** Uses one connection per server that only such requests share, so that it stays open between them. */
  readonly ownConnection?: boolean;
}

/** The route between us and the process that answered, as far as the headers show it. */
export interface Route {
  /** Numbers the connections that were opened for requests with `ownConnection`; null for other requests. */
  readonly connection: number | null;
  /** The answer has headers that a proxy adds. A proxy that adds none goes unnoticed. */
  readonly isProxied: boolean;
  /** The answer has an `Age` header, so it comes from a cache. */
  readonly isAged: boolean;
}

/** A response that began but was not read to its end. */
interface PartialResponse {
  readonly status: number;
  /** The header as sent; empty when missing. */
  readonly contentType: string;
  readonly body: Buffer;
}

export interface HttpResponse extends PartialResponse {
  readonly kind: 'response';
  /** Where a redirect points; it was not followed. */
  readonly location?: string;
  /** The wait requested by `retry-after` (seconds or a date), in milliseconds. */
  readonly retryAfterMs?: number;
  /** The `x-hindsight-missing` header: what a Hindsight that answers for a node leaves out. */
  readonly leftOut?: string;
  /** The body was longer than the limit and is cut off. */
  readonly truncated: boolean;
  /** The server's clock by its `Date` header, Unix milliseconds, whole seconds. */
  readonly nodeClock?: number;
  readonly latencyMs: number;
  readonly route: Route;
}

export interface HttpFailure {
  readonly kind: 'failure';
  readonly reason: FailureReason;
  readonly detail: string;
  readonly latencyMs: number;
  readonly nodeClock?: number;
  /** The part that had arrived; undefined when not even the headers had. */
  readonly partial?: PartialResponse;
}

export type HttpResult = HttpResponse | HttpFailure;
