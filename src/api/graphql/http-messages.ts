import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Caller } from '../keys/caller.js';

/** The part of the web server's request that we use. */
export interface HttpRequest {
  readonly method: string;
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: unknown;
  readonly body: unknown;
  /** Whether it is the handshake of a WebSocket. */
  readonly ws?: boolean;
  /** The owner of the request's key; undefined before the key was checked, and without a valid key. */
  caller?: Caller | undefined;
  /**
   * Counts a wrong key that its client sent after the headers, by a WebSocket.
   * @throws ApiError RATE_LIMITED after too many
   */
  countWrongKey?: () => Promise<void>;
}

/** The part of the web server's reply that we use. */
export interface HttpReply {
  readonly request: HttpRequest;
  readonly sent: boolean;
  readonly statusCode: number;
  code(status: number): this;
  header(name: string, value: string): this;
  send(payload: unknown): unknown;
  readonly raw: ServerResponse;
  serializer(print: (payload: unknown) => string | Readable): unknown;
}
