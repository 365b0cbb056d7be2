import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseBlockRequest, type ConnectError } from '../../src/devnode/connect-request.js';
import {
  loadRecording,
  metadataKey,
  requestKey,
  type RecordedBlock,
  type RecordedLine,
  type Recording,
} from './recording.js';

/** How a recording is to be served. */
export interface ReplayOptions {
  file: 'aggregator' | 'follower';
  /** Recorded milliseconds per millisecond of the wall clock; 0 stands still until `setTime`. Default 1. */
  speed?: number;
  /** A virtual clock in milliseconds since the start of the recording; then `speed` is not used. */
  now?: () => number;
  /** Spans of the recording, in milliseconds since its start, in which every connection is dropped. */
  cut?: { from: number; to: number }[];
  /** Port on loopback; a free one by default. */
  port?: number;
}

/** A recorded node that answers over a real socket. */
export interface ReplayNode {
  url: string;
  /** The node's clock at the start of the recording, in Unix milliseconds. */
  startMs: number;
  /** Length of the recording in milliseconds. */
  lengthMs: number;
  /** Requests received so far, by path. */
  requests: Map<string, number>;
  /** Milliseconds since the start of the recording, by the clock that answers are chosen by. */
  elapsed(): number;
  /** Moves the clock; with a speed it goes on from there. Not for a clock given as `now`. */
  setTime(elapsedMs: number): void;
  close(): Promise<void>;
}

interface Answer {
  status: number;
  type: string;
  body: Buffer;
}

/** Answers that stay the same for a node's life, so a moment at which the recorder failed to ask is no news. */
const CONSTANT = /\/(GetNamespace|GetSignerInfo|GetNetInfo|GetGenesisDaHeight)$/;
const PREFIX = '/evnode.v1.';
const CONNECT_METHODS = [
  ...['GetBlock', 'GetState', 'GetMetadata', 'GetGenesisDaHeight', 'GetP2PStoreInfo'].map(
    (name) => `${PREFIX}StoreService/${name}`,
  ),
  ...['GetNamespace', 'GetSignerInfo'].map((name) => `${PREFIX}ConfigService/${name}`),
  ...['GetNetInfo', 'GetPeerInfo'].map((name) => `${PREFIX}P2PService/${name}`),
];

/**
 * Serves a recording on loopback. Each request is answered with the last line at or before the replay's clock;
 * while the recorded node was down, and in a cut, the connection is dropped.
 */
export async function startReplayNode(options: ReplayOptions): Promise<ReplayNode> {
  const recording = loadRecording(options.file);
  const clock = createReplayClock(options);
  const requests = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://replay').pathname;
    requests.set(path, (requests.get(path) ?? 0) + 1);
    handle(request, response, path).catch(() => request.socket.destroy());
  });
  async function handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const body = await readBody(request);
    const t = clock.elapsed();
    const isCut = (options.cut ?? []).some(({ from, to }) => t >= from && t < to);
    const answer = isCut ? undefined : findAnswer(recording, t, request, path, body);
    if (!answer) {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, {
      date: new Date(recording.startMs + t).toUTCString(),
      'content-length': answer.body.length,
      ...(answer.type && { 'content-type': answer.type }),
    });
    response.end(request.method === 'HEAD' ? undefined : answer.body);
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    startMs: recording.startMs,
    lengthMs: recording.lengthMs,
    requests,
    elapsed: () => clock.elapsed(),
    setTime: (elapsedMs) => clock.setTime(elapsedMs),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createReplayClock(options: ReplayOptions) {
  const speed = options.speed ?? 1;
  let base = 0;
  let since = performance.now();
  return {
    elapsed: () => Math.floor(options.now ? options.now() : base + (performance.now() - since) * speed),
    setTime: (elapsedMs: number) => {
      base = elapsedMs;
      since = performance.now();
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The answer at `t`, or undefined when the connection was, or would have been, dropped. */
function findAnswer(
  recording: Recording,
  t: number,
  request: IncomingMessage,
  path: string,
  body: string,
): Answer | undefined {
  const list = lastLine(recording.lines.get('GET /da/submissions') ?? [], t);
  if (!list?.answer) {
    return undefined;
  }
  const isConnect = CONNECT_METHODS.includes(path);
  if (isConnect && request.method !== 'POST') {
    return { status: 405, type: '', body: Buffer.alloc(0) };
  }
  if (isConnect && !(request.headers['content-type'] ?? '').startsWith('application/json')) {
    return { status: 415, type: '', body: Buffer.alloc(0) };
  }
  if (path.endsWith('/GetBlock') && isConnect) {
    return findBlock(recording, t, body);
  }
  const lines = recording.lines.get(requestKey(request.method ?? 'GET', path, body));
  if (lines) {
    const line = CONSTANT.test(path) ? lastAnswered(lines, t) : lastLine(lines, t);
    return line?.answer;
  }
  return madeUpAnswer(recording, t, path, body);
}

/** Requests that the recorder never sent, in the form in which the same node answered them elsewhere. */
function madeUpAnswer(recording: Recording, t: number, path: string, body: string): Answer {
  if (path === `${PREFIX}StoreService/GetMetadata`) {
    const key = metadataKey(body);
    const message = `failed to get metadata for key '${key}': datastore: key not found`;
    return refusal({ status: 404, code: 'not_found', message });
  }
  if (path === `${PREFIX}StoreService/GetP2PStoreInfo`) {
    return {
      status: 200,
      type: 'application/json',
      body: Buffer.from(JSON.stringify(storeInfo(recording, t))),
    };
  }
  if (path === `${PREFIX}P2PService/GetPeerInfo`) {
    return { status: 200, type: 'application/json', body: Buffer.from('{}') };
  }
  if (path === '/da/blob') {
    return {
      status: 400,
      type: 'text/plain; charset=utf-8',
      body: Buffer.from('Missing blob ID parameter\n'),
    };
  }
  return { status: 404, type: 'text/plain; charset=utf-8', body: Buffer.from('404 page not found\n') };
}

function findBlock(recording: Recording, t: number, body: string): Answer {
  const wanted = parseBlockRequest(body);
  if (wanted.kind === 'refused') {
    return refusal(wanted.error);
  }
  const prefix = 'failed to retrieve block data: ';
  if (wanted.kind === 'hash') {
    const hash = `[${[...wanted.hash].join(' ')}]`;
    const message = `${prefix}failed to load height from index failed to get height for hash ${hash}: datastore: key not found`;
    return refusal({ status: 500, code: 'internal', message });
  }
  const height = wanted.height === 0n ? blocksAt(recording, t).at(-1)?.height : wanted.height;
  const lines = recording.lines.get(`${PREFIX}StoreService/GetBlock ${height ?? ''}`) ?? [];
  // A line in which the recorder got no answer says nothing about the block once the node is up again.
  const answer = lines.findLast((line) => line.t <= t && line.answer)?.answer;
  const message = `${prefix}load block header: datastore: key not found`;
  return answer ?? refusal({ status: 500, code: 'internal', message });
}

function refusal(error: ConnectError): Answer {
  const body = Buffer.from(JSON.stringify({ code: error.code, message: error.message }));
  return { status: error.status, type: 'application/json', body };
}

function blocksAt(recording: Recording, t: number): RecordedBlock[] {
  return recording.blocks.filter((block) => block.seenAt <= t);
}

/** Head and tail of both P2P stores. A block's hashes stand in its successor, so the last recorded block is left out. */
function storeInfo(recording: Recording, t: number): object {
  const blocks = blocksAt(recording, t);
  const describe = (block: RecordedBlock | undefined, field: 'lastHeaderHash' | 'lastDataHash') => {
    const next = block && recording.blocks.find(({ height }) => height === block.height + 1n);
    return (
      next && block && { height: String(block.height), hash: next[field], time: isoTime(BigInt(block.time)) }
    );
  };
  const describeStore = (label: string, field: 'lastHeaderHash' | 'lastDataHash') => {
    const head = describe(blocks.at(-1), field) ?? describe(blocks.at(-2), field);
    return head ? { label, height: head.height, head, tail: describe(blocks[0], field) } : { label };
  };
  return {
    stores: [describeStore('Header Store', 'lastHeaderHash'), describeStore('Data Store', 'lastDataHash')],
  };
}

function isoTime(nanoseconds: bigint): string {
  const second = new Date(Number(nanoseconds / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  return `${second}.${String(nanoseconds % 1_000_000_000n).padStart(9, '0')}Z`;
}

/** The last line at or before `t`. */
function lastLine(lines: RecordedLine[], t: number): RecordedLine | undefined {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.t ?? Infinity) <= t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return lines[low - 1];
}

function lastAnswered(lines: RecordedLine[], t: number): RecordedLine | undefined {
  return lines.findLast((line) => line.t <= t && line.answer) ?? lines.find((line) => line.answer);
}
