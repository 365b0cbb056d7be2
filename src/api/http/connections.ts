import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RareLog } from '../../platform/rare-log.js';
import { ApiError } from '../errors.js';
import { whenOver } from './answer-pace.js';

/** Connections that have not sent a request yet, once they had a turn to; browsers open some ahead. */
const MOST_SILENT = 250;
/** Those that may come between two turns beside them; more are refused. */
const MOST_AT_ONCE = 50;
/** Requests that a connection may have under way, the one behind the other: most clients send one at a time. */
export const MOST_UNDER_WAY = 10;

/** Paths that must be answered however many connections there are: else who watches us would end a process that works. */
const PROBES: ReadonlySet<string | undefined> = new Set(['/health/live', '/health/ready']);

/**
 * The connections of a server. Those that have not sent a request are few: for a new one the oldest of them is closed. Of the others
 * the one that has had nothing to do for longest makes room. Addresses are not told apart, since all clients of a proxy share one.
 */
export class Connections {
  /** Without a request so far; the longest first. */
  private readonly silent = new Set<Socket>();
  /** Between two requests; the longest first. */
  private readonly idle = new Set<Socket>();
  /** Those that have sent a request. */
  private readonly known = new Set<Socket>();
  /** Those whose first request came when all others were busy. */
  private readonly surplus = new WeakSet<Socket>();
  /** Requests of each connection whose answers were not taken yet. */
  private readonly underWay = new WeakMap<Socket, number>();
  private isSweepDue = false;

  /** @param most connections that may ask whatever they like */
  constructor(
    private readonly most: number,
    private readonly complaints: RareLog,
  ) {}

  watch(server: Server): void {
    server.maxConnections = this.most + MOST_SILENT + MOST_AT_ONCE;
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
    this.idle.delete(socket);
    if (this.silent.delete(socket)) this.admit(socket);
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
    this.silent.add(socket);
    socket.once('close', () => this.forget(socket));
    if (this.isSweepDue) return;
    this.isSweepDue = true;
    // What has come with the connection is read at the next turn.
    setImmediate(() => setImmediate(() => this.sweep()));
  }

  private sweep(): void {
    this.isSweepDue = false;
    while (this.silent.size > MOST_SILENT) this.close(this.silent);
  }

  /** Lets one in that has sent its first request. */
  private admit(socket: Socket): void {
    if (this.known.size >= this.most) {
      this.complain();
      this.close(this.idle);
      if (this.known.size >= this.most) this.surplus.add(socket);
    }
    this.known.add(socket);
  }

  private end(socket: Socket): void {
    const left = (this.underWay.get(socket) ?? 1) - 1;
    this.underWay.set(socket, left);
    if (left === 0 && this.known.has(socket)) this.idle.add(socket);
  }

  /** Closes the first of them. */
  private close([socket]: ReadonlySet<Socket>): void {
    if (!socket) return;
    this.forget(socket);
    socket.destroy();
  }

  private forget(socket: Socket): void {
    for (const sockets of [this.silent, this.idle, this.known]) sockets.delete(socket);
  }

  private complain(): void {
    this.complaints.warn(
      `there are ${this.most} connections`,
      'a connection was closed to make room, or refused',
    );
  }
}
