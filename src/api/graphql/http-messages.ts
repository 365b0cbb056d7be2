import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** What we use of the web server's request. */
export interface HttpRequest {
  readonly method: string;
  /** Address of the client. */
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: unknown;
  readonly body: unknown;
}

/** What we use of the web server's reply. */
export interface HttpReply {
  readonly request: HttpRequest;
  readonly raw: ServerResponse;
  header(name: string, value: string): unknown;
  serializer(print: (payload: unknown) => string | Readable): unknown;
}
