import { randomBytes } from 'node:crypto';
import { on } from 'node:events';
import type { Socket } from 'node:net';
import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'undici';
import { connectTo } from './raw-http.js';
import { waitFor } from './service-process.js';

/** A subscription of a test, and what it received. */
export interface LiveSubscription<Value> {
  readonly values: Value[];
  /** Codes of the errors that ended it. */
  readonly errors: string[];
  end(): void;
}

/** Subscribes to a server with the client that the documentation names. */
export class LiveClient {
  readonly client: Client;
  /** Code and reason of each connection that the server closed. */
  readonly closes: string[] = [];

  /** @param headers of the handshake, which programs may set */
  constructor(url: string, key?: string, headers: Record<string, string> = {}) {
    class HeaderedSocket extends WebSocket {
      constructor(address: string, protocols: string) {
        super(address, { protocols, headers });
      }
    }
    this.client = createClient({
      url: `${url.replace(/^http/, 'ws')}/graphql`,
      webSocketImpl: HeaderedSocket,
      connectionParams: key === undefined ? {} : { 'x-api-key': key },
      retryAttempts: 0,
      lazy: false,
      onNonLazyError: () => undefined,
      on: {
        closed: (event) => {
          const { code, reason } = event as { code: number; reason: string };
          this.closes.push(`${code} ${reason}`);
        },
      },
    });
  }

  /** @param selection the field with its arguments, such as `healthChanged { nodeId }` */
  subscribe<Value>(
    selection: string,
    variables: Record<string, unknown> = {},
    head = '',
  ): LiveSubscription<Value> {
    const values: Value[] = [];
    const errors: string[] = [];
    const end = this.client.subscribe<Record<string, Value>>(
      { query: `subscription ${head} { ${selection} }`, variables },
      {
        next: ({ data, errors: failed }) => {
          for (const error of failed ?? []) errors.push(String(error.extensions?.['code']));
          if (data) values.push(...Object.values(data));
        },
        error: (error) => {
          const parts = Array.isArray(error) ? (error as { extensions?: { code?: string } }[]) : [];
          errors.push(
            ...(parts.length > 0 ? parts.map(({ extensions }) => extensions?.code ?? 'none') : ['closed']),
          );
        },
        complete: () => undefined,
      },
    );
    return { values, errors, end };
  }

  async close(): Promise<void> {
    await this.client.dispose();
  }
}

/** Waits until a subscription has received as many values. */
export function received<Value>(
  { values, errors }: LiveSubscription<Value>,
  count = 1,
): Promise<readonly Value[]> {
  return waitFor(`${count} events (errors: ${errors.join()})`, () =>
    values.length >= count ? values : undefined,
  );
}

/** A handshake with its answer; `code` of an error. */
interface Handshake {
  readonly status: number;
  readonly code: string;
  readonly socket: Socket;
}

/** Opens a WebSocket by hand, with any headers. The socket is paused. */
export async function shakeHands(url: string, headers: Record<string, string> = {}): Promise<Handshake> {
  const { port, host } = new URL(url);
  const socket = connectTo(Number(port));
  const given = {
    host,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    'sec-websocket-protocol': 'graphql-transport-ws',
    ...headers,
  };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /graphql HTTP/1.1\r\n${lines.join('')}\r\n`);
  let text = '';
  for await (const [data] of on(socket, 'data', { close: ['close'] }) as AsyncIterable<[Buffer]>) {
    text += data.toString('latin1');
    const isWhole = text.startsWith('HTTP/1.1 101') ? text.includes('\r\n\r\n') : text.includes('}');
    if (isWhole) break;
  }
  socket.pause();
  return {
    status: Number(text.slice(9, 12)),
    code: /"code":"(\w+)"/.exec(text)?.[1] ?? '',
    socket,
  };
}

/** A client that subscribes and then reads nothing. */
export async function openSilentReader(url: string, selection: string): Promise<Socket> {
  const { socket } = await shakeHands(url);
  const messages = [
    { type: 'connection_init' },
    { id: '1', type: 'subscribe', payload: { query: `subscription { ${selection} }` } },
  ];
  socket.write(frameOf(messages[0]));
  // The server takes a subscription only after it has acknowledged the connection.
  socket.once('data', () => {
    socket.pause();
    socket.write(frameOf(messages[1]));
  });
  socket.resume();
  return socket;
}

/** A masked text frame of a short message. */
function frameOf(message: unknown): Buffer {
  const payload = Buffer.from(JSON.stringify(message));
  const head = Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0]);
  return Buffer.concat([head, payload]);
}
