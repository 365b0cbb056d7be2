import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadRecording, type Recording } from './recording.js';
import { findAnswer, type ReplayRequest } from './replay-answers.js';

/** How a recording is served. */
export interface ReplayOptions {
  /** A recording of `test/fixtures/ev-node`, or another one. */
  file: 'aggregator' | 'follower' | Recording;
  /** Recorded milliseconds per millisecond of the wall clock; 0 stops the time until `setTime`. Default 1. */
  speed?: number;
  /** A virtual clock in milliseconds since the start of the recording; replaces `speed`. */
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
  /** Milliseconds since the start of the recording, by the clock that selects answers. */
  elapsed(): number;
  /** Sets the clock; with a speed it continues from there. Not for a clock given as `now`. */
  setTime(elapsedMs: number): void;
  close(): Promise<void>;
}

/**
 * Serves a recording on loopback. Each request is answered with the last line at or before the replay's clock.
 * While the recorded node was down, and in a cut, the connection is dropped.
 */
export async function startReplayNode(options: ReplayOptions): Promise<ReplayNode> {
  const { file } = options;
  const recording = typeof file === 'string' ? loadRecording(file) : file;
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
    const answer = isCut ? undefined : findAnswer(recording, t, toRequest(request, path, body));
    if (!answer) {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, {
      date: new Date(recording.startMs + t + clock.stoodStill()).toUTCString(),
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
    /**
     * How long the recording has been stopped, in real milliseconds. The node's own clock continues, as otherwise its answers
     * would look cached.
     */
    stoodStill: () => (speed === 0 && !options.now ? performance.now() - since : 0),
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

function toRequest({ method = 'GET', headers }: IncomingMessage, path: string, body: string): ReplayRequest {
  return { method, contentType: headers['content-type'] ?? '', path, body };
}
