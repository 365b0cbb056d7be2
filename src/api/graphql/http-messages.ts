import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Caller } from '../keys/caller.js';

/** What we use of the web server's request. */
export interface HttpRequest {
  readonly method: string;
  /** Address of the client. */
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: unknown;
  readonly body: unknown;
  /** Whose key it bears; undefined before that was looked at, and where it bears none that is good. */
  caller?: Caller | undefined;
}

/** What we use of the web server's reply. */
export interface HttpReply {
  readonly request: HttpRequest;
  readonly sent: boolean;
  code(status: number): this;
  header(name: string, value: string): this;
  send(payload: unknown): unknown;
  readonly raw: ServerResponse;
  serializer(print: (payload: unknown) => string | Readable): unknown;
}
