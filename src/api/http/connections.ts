import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RareLog } from '../../platform/rare-log.js';
import { ApiError } from '../errors.js';
import { whenOver } from './answer-over.js';

/** Connections beside the most, on which probes alone are answered. */
const FOR_PROBES = 50;
/** Connections that have not sent a request yet; browsers open some ahead. */
const MOST_SILENT = 100;
/** Requests that a connection may have under way, the one behind the other: most clients send one at a time. */
const MOST_UNDER_WAY = 10;

/** Paths that must be answered however many connections there are: else who watches us would end a process that works. */
const PROBES: ReadonlySet<string | undefined> = new Set(['/health/live', '/health/ready']);

/**
 * The connections of a server. Whoever comes gets in while another connection has nothing to do: that one is closed, first
 * of those that never sent a request, then of those between two, each time the one that is so for longest. Addresses are not
 * told apart, since all clients of a proxy share one.
 */
export class Connections {
  private readonly open = new Set<Socket>();
  /** Without a request so far, and between two requests; the longest first. */
  private readonly silent = new Set<Socket>();
  private readonly idle = new Set<Socket>();
  /** Those that came when all others were busy. */
  private readonly surplus = new WeakSet<Socket>();
  /** Requests of each connection whose answers were not taken yet. */
  private readonly underWay = new WeakMap<Socket, number>();

  /** @param most connections that may ask whatever they like */
  constructor(
    private readonly most: number,
    private readonly complaints: RareLog,
  ) {}

  watch(server: Server): void {
    server.maxConnections = this.most + FOR_PROBES;
    server.on('connection', (socket) => this.accept(socket));
    server.on('drop', () => this.complain());
  }

  /**
   * Notes a request until its answer was taken. False: it is one too many of its connection. Those that arrive together are all
   * looked at before anybody else has a turn of the event loop, and who records waits.
   */
  begin(socket: Socket, answer: ServerResponse): boolean {
    const count = (this.underWay.get(socket) ?? 0) + 1;
    if (socket.destroyed || count > MOST_UNDER_WAY) return false;
    this.silent.delete(socket);
    this.idle.delete(socket);
    this.underWay.set(socket, count);
    whenOver(answer, () => this.end(socket));
    return true;
  }

  /** Why a request is not answered because of its connection; undefined where it is. @param route its path, as declared */
  findRefusal(socket: Socket, route: string | undefined): ApiError | undefined {
    if (!this.surplus.has(socket) || PROBES.has(route)) return undefined;
    return new ApiError('RATE_LIMITED', 'There are too many connections; ask again in a moment.');
  }

  private accept(socket: Socket): void {
    this.open.add(socket);
    this.silent.add(socket);
    socket.once('close', () => this.forget(socket));
    if (this.silent.size > MOST_SILENT) this.close(this.silent);
    if (this.open.size <= this.most) return;
    this.complain();
    const [oldest] = this.silent;
    this.close(oldest === socket ? this.idle : this.silent);
    if (this.open.size > this.most) this.surplus.add(socket);
  }

  private end(socket: Socket): void {
    const left = (this.underWay.get(socket) ?? 1) - 1;
    this.underWay.set(socket, left);
    if (left === 0 && this.open.has(socket)) this.idle.add(socket);
  }

  /** Closes the first of them. */
  private close([socket]: ReadonlySet<Socket>): void {
    if (!socket) return;
    this.forget(socket);
    socket.destroy();
  }

  private forget(socket: Socket): void {
    for (const sockets of [this.open, this.silent, this.idle]) sockets.delete(socket);
  }

  private complain(): void {
    this.complaints.warn(
      `there are ${this.most} connections`,
      'a connection was closed to make room, or refused',
    );
  }
}
