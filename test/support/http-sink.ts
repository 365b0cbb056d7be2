import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a sink received. */
export interface SunkRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Whether it was answered with a status of success. */
  readonly isAccepted: boolean;
}

/** A server that accepts every request, with configurable answers. */
export class HttpSink {
  readonly taken: SunkRequest[] = [];
  /** The status of its answers; or it accepts the request, and drops the connection or never answers. */
  status: number | 'drop' | 'hold' = 200;
  /** The body of its answers. */
  body = 'ok';
  /** Whether it ends each answer in the middle of its body. */
  cuts = false;
  /** Headers of its answers. */
  headers: Readonly<Record<string, string>> = {};

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<HttpSink> {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => void pieces.push(piece));
      request.on('end', () => {
        const body = Buffer.concat(pieces).toString();
        const { headers, url: path = '' } = request;
        const isAccepted = typeof sink.status === 'number' && sink.status < 300;
        sink.taken.push({ path, headers, body, isAccepted });
        if (sink.status === 'drop') request.socket.destroy();
        else if (sink.status !== 'hold' && sink.cuts)
          response
            .writeHead(sink.status, { 'content-length': 10_000 })
            .write('ok', () => request.socket.destroy());
        else if (sink.status !== 'hold') response.writeHead(sink.status, sink.headers).end(sink.body);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const sink = new HttpSink(server, `http://127.0.0.1:${port}`);
    return sink;
  }

  /** Refuses connections until {@link comeBack}. */
  async leave(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** Listens at its old port. */
  async comeBack(): Promise<void> {
    this.server.listen(Number(new URL(this.url).port), '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    if (this.server.listening) await this.leave();
  }
}
