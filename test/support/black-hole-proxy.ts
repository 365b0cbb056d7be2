import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * A proxy between a program and its database, or a node. On request, all open connections swallow every byte, as if their host
 * had lost power. Later connections work, unless the proxy hangs.
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

  /** The address of the target, through the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.toString();
  }

  /** Makes the open connections swallow all later data, from either side. */
  swallow(): void {
    for (const socket of this.sockets) this.swallowing.add(socket);
  }

  /** While the proxy hangs, it accepts connections and returns nothing, like a stopped process. */
  hang(isHanging: boolean): void {
    this.isHanging = isHanging;
    if (isHanging) this.swallow();
  }

  /** While the proxy refuses, it closes open connections and accepts no others. */
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
    // Not even the end of a connection gets through.
    from.on('error', () => from.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      if (!this.swallowing.has(from)) to.destroy();
    });
  }
}
