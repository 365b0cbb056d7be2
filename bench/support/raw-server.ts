import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A request, parsed from its bytes; `path` includes its query. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Returns the bytes of a whole HTTP answer. */
export type RawHandler = (request: RawRequest) => Buffer | Promise<Buffer>;

const END_OF_HEAD = '\r\n\r\n';

/**
 * The smallest HTTP/1.1 server that suffices for a bench: keep-alive, bodies with a length, answers in one write. It costs a
 * fraction of `node:http`, so that the client is what is measured. Only for our own clients.
 */
export async function listenRaw(handler: RawHandler, port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer({ noDelay: true }, (socket) => serve(socket, handler));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', 2_048, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

/** An answer as bytes, its head included. */
export function toAnswer(
  status: number,
  type: string | undefined,
  body: string | Buffer,
  date?: string,
): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const head = [
    `HTTP/1.1 ${status} -`,
    ...(type === undefined ? [] : [`content-type: ${type}`]),
    ...(date === undefined ? [] : [`date: ${date}`]),
    `content-length: ${bytes.length}`,
  ];
  return Buffer.concat([Buffer.from(head.join('\r\n') + END_OF_HEAD), bytes]);
}

function serve(socket: Socket, handler: RawHandler): void {
  let waiting = '';
  let last = Promise.resolve();
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    waiting += chunk;
    for (let request = cutRequest(waiting); request; request = cutRequest(waiting)) {
      waiting = waiting.slice(request.length);
      const answer = handler(request);
      if (Buffer.isBuffer(answer)) socket.write(answer);
      else last = last.then(async () => void socket.write(await answer));
    }
  });
}

function cutRequest(text: string): (RawRequest & { length: number }) | undefined {
  const end = text.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const bodyAt = end + END_OF_HEAD.length;
  const told = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1];
  const length = bodyAt + Number(told ?? 0);
  if (text.length < length) return undefined;
  const [method = '', path = ''] = text.slice(0, text.indexOf('\r\n')).split(' ');
  return { method, path, body: text.slice(bodyAt, length), length };
}
