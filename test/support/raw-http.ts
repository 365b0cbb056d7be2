import { connect, type Socket } from 'node:net';

/** An answer as received. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Whether the server ended the connection after the answer. */
  readonly isEnded: boolean;
}

/** Writes bytes to a port and returns the first answer; rejects when the connection ends without an answer. */
export function sendRaw(port: number, text: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connectTo(port);
    const finish = (isEnded: boolean): void => {
      const answer = readAnswer(received, isEnded);
      if (answer === undefined && !isEnded) return;
      socket.destroy();
      if (answer) resolve(answer);
      else reject(new Error(`no answer but ${JSON.stringify(received)}`));
    };
    socket.on('data', (data) => {
      received += data.toString('latin1');
      finish(false);
    });
    // A server that refuses a body resets the connection when more of the body arrives.
    socket.on('error', () => finish(true));
    socket.on('close', () => finish(true));
    socket.write(text);
  });
}

/** A connection whose errors are ignored. */
export function connectTo(port: number): Socket {
  return connect(port, '127.0.0.1').on('error', () => undefined);
}

/** Undefined: the answer is incomplete. */
function readAnswer(received: string, isEnded: boolean): RawAnswer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const body = received.slice(end + 4);
  const closes = headers.get('connection')?.toLowerCase() === 'close';
  const isChunked = headers.get('transfer-encoding') === 'chunked';
  const length = isChunked ? lengthOfChunks(body) : Number(headers.get('content-length') ?? Infinity);
  if (!isEnded && (closes || body.length < length)) return undefined;
  return {
    status: Number(first.split(' ')[1]),
    headers,
    body: isChunked ? joinChunks(body) : body,
    isEnded,
  };
}

const LAST_CHUNK = '0\r\n\r\n';

/** Infinity: the last chunk has not arrived. */
function lengthOfChunks(body: string): number {
  return body.endsWith(LAST_CHUNK) ? body.length : Infinity;
}

function joinChunks(body: string): string {
  const [size = '0'] = body.split('\r\n', 1);
  const length = Number.parseInt(size, 16);
  if (!length) return '';
  const from = size.length + 2;
  return body.slice(from, from + length) + joinChunks(body.slice(from + length + 2));
}
