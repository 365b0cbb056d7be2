import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { askRedis, type TestRedis } from './redis.js';

/** A Redis that tests cannot kill or stop, behind a proxy that they can. */
export class ProxiedRedis implements TestRedis {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;
  private hangs = false;

  private constructor(
    private readonly target: string,
    private readonly release: () => Promise<void>,
  ) {}

  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.toString();
  }

  /** @param release releases the server behind the proxy */
  static async start(target: string, release: () => Promise<void>): Promise<ProxiedRedis> {
    const redis = new ProxiedRedis(target, release);
    await redis.flush();
    await redis.open();
    return redis;
  }

  async flush(): Promise<void> {
    await askRedis(this.target, (redis) => redis.flushdb());
  }

  async kill(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
    await this.flush();
  }

  async revive(): Promise<void> {
    await this.open();
  }

  hang(): void {
    this.hangs = true;
    for (const socket of this.sockets) socket.pause();
  }

  resume(): void {
    this.hangs = false;
    for (const socket of this.sockets) socket.resume();
  }

  async stop(): Promise<void> {
    await this.kill();
    await this.release();
  }

  private async open(): Promise<void> {
    const { hostname, port } = new URL(this.target);
    const server = createServer((near) => {
      const far = connect(Number(port || 6379), hostname);
      this.join(near, far);
      this.join(far, near);
    });
    this.server = server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address === 'object' && address !== null) this.port = address.port;
  }

  private join(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('data', (chunk) => to.write(chunk));
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
    if (this.hangs) from.pause();
  }
}
