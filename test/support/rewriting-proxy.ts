import { request as httpRequest, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startHostileServer, type HostileServer } from './hostile-server.js';

/** A whole answer of a node. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request: the path, and the body as text. */
interface AskedOf {
  readonly path: string;
  readonly body: string;
}

/** Forwards a node's answer, unchanged or rewritten. */
type Rewrite = (answer: WholeAnswer, response: ServerResponse, asked: AskedOf) => void;

/** Starts a proxy to a node that decides what happens to each answer. */
export function startRewritingProxy(target: string, rewrite: Rewrite): Promise<HostileServer> {
  return startHostileServer((request, response) => {
    const headers = { ...request.headers, 'accept-encoding': 'identity' };
    const method = request.method ?? 'GET';
    const path = request.url ?? '/';
    const pass = async (): Promise<void> => {
      const body = await buffer(request);
      const onward = httpRequest(`${target}${path}`, { method, headers });
      onward.on('error', () => response.destroy());
      onward.on('response', (answer) => {
        const { statusCode: status = 502 } = answer;
        buffer(answer).then(
          (whole) =>
            rewrite({ status, headers: answer.headers, body: whole }, response, {
              path,
              body: body.toString(),
            }),
          () => response.destroy(),
        );
      });
      onward.end(body);
    };
    pass().catch(() => response.destroy());
  });
}

/** Sends a whole answer, with a recomputed length. */
export function sendWhole({ status, headers, body }: WholeAnswer, to: ServerResponse): void {
  const {
    'content-length': _length,
    'transfer-encoding': _coding,
    connection: _connection,
    ...rest
  } = headers;
  to.writeHead(status, rest).end(status === 204 || status === 304 ? undefined : body);
}
