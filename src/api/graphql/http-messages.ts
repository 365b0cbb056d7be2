import type { ServerResponse } from 'node:http';

/** What we use of the web server's request. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: unknown;
  readonly body: unknown;
}

/** What we use of the web server's reply. */
export interface HttpReply {
  readonly request: HttpRequest;
  readonly raw: ServerResponse;
  serializer(print: (payload: unknown) => string): unknown;
}
