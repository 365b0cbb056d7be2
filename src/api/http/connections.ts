import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RareLog } from '../../platform/rare-log.js';
import { tooMany, type ApiError } from '../errors.js';
import { whenOver } from './answer-pace.js';

/** The most connections that have not sent a request, although they had time to; browsers open some ahead. */
const MOST_SILENT = 250;
/** The most additional ones that may arrive within one iteration of the event loop; more are refused. */
const MOST_AT_ONCE = 50;
/** The most pipelined requests of a connection; most clients send one at a time. */
export const MOST_UNDER_WAY = 10;

/**
 * Paths that are answered however many connections there are; otherwise a failing probe would make the orchestrator end a healthy
 * process.
 */
const PROBES: ReadonlySet<string | undefined> = new Set(['/health/live', '/health/ready']);

/**
 * Limits the connections of a server. Few may be silent, without a request so far: a new one replaces the oldest. Among the
 * others, the longest idle one makes room. Addresses are not distinguished, since all clients of a proxy share one.
 */
export class Connections {
  /** Without a request so far; oldest first. */
  private readonly silent = new Set<Socket>();
  /** Between two requests; longest idle first. */
  private readonly idle = new Set<Socket>();
  /** Connections that have sent a request, and the number of their responses that were not taken yet. */
  private readonly underWay = new Map<Socket, number>();
  /** Connections whose first request came when all others were busy. */
  private readonly surplus = new WeakSet<Socket>();
  private isSweepDue = false;

  /** @param most connections that may send any request */
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
   * Counts a request until its response was taken. False: the connection has too many. Requests that arrive together are all
   * checked within one iteration of the event loop, and the recorder waits meanwhile.
   */
  begin(socket: Socket, answer: ServerResponse): boolean {
    const count = this.underWay.get(socket) ?? 0;
    if (socket.destroyed || count >= MOST_UNDER_WAY) return false;
    this.idle.delete(socket);
    if (this.silent.delete(socket)) this.makeRoomFor(socket);
    this.underWay.set(socket, count + 1);
    whenOver(answer, () => this.end(socket));
    return true;
  }

  /**
   * The reason to refuse a request because of its connection; undefined where there is none. @param route its path, as declared
   */
  findRefusal(socket: Socket, route: string | undefined): ApiError | undefined {
    if (!this.surplus.has(socket) || PROBES.has(route)) return undefined;
    return tooMany('There are too many connections; try again in a moment.');
  }

  private accept(socket: Socket): void {
    this.silent.add(socket);
    socket.once('close', () => this.forget(socket));
    if (this.isSweepDue) return;
    this.isSweepDue = true;
    // Data that arrived with the connection is read in the next iteration of the event loop.
    setImmediate(() => setImmediate(() => this.sweep()));
  }

  private sweep(): void {
    this.isSweepDue = false;
    while (this.silent.size > MOST_SILENT) this.close(this.silent);
  }

  /** Makes room for a connection that has sent its first request. */
  private makeRoomFor(socket: Socket): void {
    if (this.underWay.size < this.most) return;
    this.complain();
    this.close(this.idle);
    if (this.underWay.size >= this.most) this.surplus.add(socket);
  }

  private end(socket: Socket): void {
    const count = this.underWay.get(socket);
    if (count === undefined) return;
    this.underWay.set(socket, count - 1);
    if (count === 1) this.idle.add(socket);
  }

  /** Closes the first connection of the set. */
  private close([socket]: ReadonlySet<Socket>): void {
    if (!socket) return;
    this.forget(socket);
    socket.destroy();
  }

  private forget(socket: Socket): void {
    for (const sockets of [this.silent, this.idle, this.underWay]) sockets.delete(socket);
  }

  private complain(): void {
    this.complaints.warn(
      `there are ${this.most} connections`,
      'a connection was refused, or closed for a new one',
    );
  }
}
