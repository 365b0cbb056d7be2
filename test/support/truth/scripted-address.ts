import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../src/platform/clock.js';
import type { ScriptedAnswer, ScriptedProcess } from './scripted-process.js';

/** Below the ports that a system assigns to outgoing connections, so that a closed port stays free. */
const PORTS = { from: 20_000, to: 32_000 };
const LIST = '/da/submissions';
const BAD_GATEWAY: ScriptedAnswer = { status: 502, type: 'text/html', body: '<h1>502 Bad Gateway</h1>' };

/** The processes behind an address, and the proxy in between. */
export interface Front {
  /** All processes that can ever answer there. */
  readonly processes: readonly ScriptedProcess[];
  /** Picks the process that answers a request; undefined: no process can. Left out: the only process, over its own sockets. */
  readonly pick?: (path: string) => ScriptedProcess | undefined;
  /** Whether it picks for each connection, and forwards bytes: a process that dies takes its connections with it. */
  readonly byConnection?: boolean;
  /** Headers that a proxy adds to answers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether each connection is closed after its first answer. */
  readonly closes?: boolean;
}

interface Sent {
  readonly answer: ScriptedAnswer;
  readonly date: string;
  readonly at: number;
}

/**
 * An address of scripted processes, over real sockets. A connection stays open as long as the client wants. An answer has no
 * headers but its own, as with Go's server.
 */
export class ScriptedAddress {
  /** The times when a list was shown in its state at that time, with its process. */
  readonly looks: { readonly at: number; readonly of: ScriptedProcess }[] = [];
  private server: Server | undefined;
  private readonly sockets = new Map<Socket, ScriptedProcess | undefined>();
  private readonly sent = new Map<string, Sent>();
  private frozen: { tellsAge: boolean } | undefined;
  private port = 0;

  private constructor(
    readonly id: string,
    readonly front: Front,
    private readonly clock: Clock,
  ) {}

  static async open(id: string, front: Front, clock: Clock): Promise<ScriptedAddress> {
    const address = new ScriptedAddress(id, front, clock);
    while (address.server === undefined) {
      address.port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
      await address.listen().catch(() => undefined);
    }
    return address;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Refuses requests and drops connections from now on; the processes behind live on. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    const isClosed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    await this.dropConnections();
    await isClosed;
  }

  /** Closes the connections of one process, or all. */
  async dropConnections(of?: ScriptedProcess): Promise<void> {
    for (const [socket, process] of this.sockets) {
      if (of === undefined || process === of) socket.destroy();
    }
    // The client notices this before anything else happens, even while a virtual clock is stopped.
    await sleep(2);
  }

  /** Accepts requests again, under the same URL. */
  async listen(): Promise<void> {
    if (this.server) return;
    const server = createServer((request, response) => {
      text(request).then(
        (body) => this.handle(request, response, body),
        () => undefined,
      );
    });
    server.keepAliveTimeout = 0;
    server.on('connection', (socket: Socket) => {
      this.sockets.set(socket, undefined);
      socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.port, '127.0.0.1', resolve);
    });
    this.server = server;
  }

  /** Makes a cache in front repeat its last answers. */
  freeze(tellsAge: boolean): void {
    this.frozen = { tellsAge };
  }

  thaw(): void {
    this.frozen = undefined;
  }

  private handle(request: IncomingMessage, response: ServerResponse, body: string): void {
    const path = new URL(request.url ?? '/', 'http://node').pathname;
    const kept = this.frozen && this.sent.get(path);
    if (kept) return this.send(response, kept, true);
    const process = this.choose(request.socket, path);
    if (process?.isAlive !== true) {
      if (this.front.headers === undefined) return void request.socket.destroy();
      return this.send(response, { answer: BAD_GATEWAY, ...this.now() }, false);
    }
    const sent = { answer: process.answer(path, body), ...this.now() };
    this.sent.set(path, sent);
    if (path === LIST) this.looks.push({ at: sent.at, of: process });
    this.send(response, sent, false);
  }

  private choose(socket: Socket, path: string): ScriptedProcess | undefined {
    const { byConnection = false, processes, pick = () => processes[0] } = this.front;
    if (!byConnection) return pick(path);
    const chosen = this.sockets.get(socket) ?? pick(path);
    this.sockets.set(socket, chosen);
    return chosen;
  }

  private now(): { date: string; at: number } {
    const at = this.clock.now();
    return { at, date: new Date(at).toUTCString() };
  }

  private send(response: ServerResponse, { answer, date, at }: Sent, isKept: boolean): void {
    const { headers = {}, closes = false } = this.front;
    response.on('error', () => undefined);
    response.sendDate = false;
    if (closes) response.setHeader('Connection', 'close');
    else response.removeHeader('Connection');
    response.writeHead(answer.status, {
      'Content-Type': answer.type,
      Date: date,
      'Content-Length': Buffer.byteLength(answer.body),
      ...headers,
      ...(isKept && this.frozen?.tellsAge && { Age: String(Math.floor((this.clock.now() - at) / 1_000)) }),
    });
    response.end(answer.body);
  }
}
