import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * Stands between a program and its database, or a node. When told so, the connections that are open then swallow every
 * byte, as if the host behind them had lost its power. Those that are made later work, unless it hangs.
 */
export class BlackHoleProxy {
  private readonly sockets = new Set<Socket>();
  private readonly swallowing = new Set<Socket>();
  private isRefusing = false;
  private isHanging = false;
  private readonly server = createServer((client) => this.join(client));

  private constructor(private readonly target: URL) {}

  static async start(databaseUrl: string): Promise<BlackHoleProxy> {
    const proxy = new BlackHoleProxy(new URL(databaseUrl));
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** What is behind it, through the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.toString();
  }

  /** From now on the open connections swallow what comes, from either side. */
  swallow(): void {
    for (const socket of this.sockets) this.swallowing.add(socket);
  }

  /** While it hangs, connections are taken and nothing comes back, as of a process that stands still. */
  hang(isHanging: boolean): void {
    this.isHanging = isHanging;
    if (isHanging) this.swallow();
  }

  /** While it refuses, there are no connections, neither those that were open nor others. */
  refuse(isRefusing: boolean): void {
    this.isRefusing = isRefusing;
    if (isRefusing) for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket): void {
    if (this.isRefusing) {
      client.destroy();
      return;
    }
    const server = connect(Number(this.target.port), this.target.hostname);
    this.pipe(client, server);
    this.pipe(server, client);
    if (this.isHanging) this.swallow();
  }

  private pipe(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('data', (bytes) => {
      if (!this.swallowing.has(from)) to.write(bytes);
    });
    // Not even the end of a connection comes through.
    from.on('error', () => from.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      if (!this.swallowing.has(from)) to.destroy();
    });
  }
}
