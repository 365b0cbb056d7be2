import { randomBytes } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import type { Millis } from '../../domain/time.js';
import type { PrintedResult } from './live-operations.js';

/** The part of a WebSocket of `ws` that we use. */
export interface LiveSocket {
  readonly protocol: string;
  /** Bytes that the client has not taken. */
  readonly bufferedAmount: number;
  send(text: string, done: (error?: Error) => void): void;
  close(code: number, reason: string): void;
  terminate(): void;
  ping(): void;
  on(event: 'message' | 'pong', listener: (data: Buffer) => void): unknown;
  once(event: 'close', listener: (code: number, reason: Buffer) => void): unknown;
}

/** The interval of pings. A client that has not answered one by the next has left, or reads nothing. */
const PING_EVERY_MS: Millis = 10_000;
/** Bytes that may wait for a client. */
const MOST_WAITING_BYTES = 4_000_000;
/** The longest reason of a close frame, in bytes. */
const LONGEST_REASON = 123;

/** Marks where a printed result belongs in a message. Nobody outside this process can guess the mark. */
const MARK = randomBytes(12).toString('hex');

export class LiveConnection {
  /** The result of the message that is being printed. */
  private printed = '';
  private isAlive = true;
  private readonly pings: NodeJS.Timeout;
  /** Removes the connection from what could end it. */
  release: () => void = () => undefined;

  constructor(private readonly socket: LiveSocket) {
    socket.on('pong', () => (this.isAlive = true));
    this.pings = setInterval(() => this.ping(), PING_EVERY_MS);
    socket.once('close', () => {
      clearInterval(this.pings);
      this.release();
    });
  }

  get protocol(): string {
    return this.socket.protocol;
  }

  /** A placeholder that `send` replaces by the text of the result, so that it is printed once for all clients. */
  placeOf({ text }: PrintedResult): ExecutionResult {
    const toJSON = (): string => {
      this.printed = text;
      return MARK;
    };
    return Object.assign({ data: null }, { toJSON });
  }

  /**
   * Resolves when the client may get the next message; it need not have taken this one. Must be called as soon as the message was
   * printed, as the library does.
   */
  async send(message: string): Promise<void> {
    const text = message.replace(`"${MARK}"`, () => this.printed);
    if (this.socket.bufferedAmount > MOST_WAITING_BYTES) this.letGo();
    // A failed send is followed by the end of the connection.
    await new Promise<void>((resolve) => this.socket.send(text, () => resolve()));
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason.slice(0, LONGEST_REASON));
  }

  /** Ends the connection at once: a client that reads nothing would not take a farewell. */
  letGo(): void {
    this.socket.terminate();
  }

  private ping(): void {
    if (!this.isAlive) {
      this.letGo();
      return;
    }
    this.isAlive = false;
    this.socket.ping();
  }
}
