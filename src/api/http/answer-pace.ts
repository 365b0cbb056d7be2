import type { ServerResponse } from 'node:http';
import type { Millis } from '../../domain/time.js';
import { streamOf } from '../../platform/both-http.js';
import type { ReadDatabase } from '../../platform/reads/read-database.js';
import type { ReadRequest } from '../../platform/reads/read-request.js';
import { PIECE_BYTES } from './pieces.js';

/** Opens the read request of one response. It ends when the client has taken the response, or has left. */
export function readFor(answer: ServerResponse, reads: Pick<ReadDatabase, 'newRequest'>): ReadRequest {
  const reading = reads.newRequest();
  whenOver(answer, () => reading.end());
  markHolder(answer, () => reading.isInTheWay);
  return reading;
}

/** Callbacks of responses; undefined for a response that is over. */
const callbacks = new WeakMap<ServerResponse, (() => void)[] | undefined>();

/**
 * Calls back once, when a response was taken or its client has left; at once if it already has. A response queued behind another
 * one (HTTP/1 pipelining) is not attached to the connection yet and gets no event when it closes, so the connection itself is
 * listened to.
 */
export function whenOver(answer: ServerResponse, callback: () => void): void {
  if (!callbacks.has(answer)) listen(answer);
  const waiting = callbacks.get(answer);
  if (waiting) waiting.push(callback);
  else callback();
}

function listen(answer: ServerResponse): void {
  const { socket } = answer.req;
  callbacks.set(answer, socket.destroyed ? undefined : []);
  if (socket.destroyed) return;
  const end = (): void => {
    const waiting = callbacks.get(answer) ?? [];
    callbacks.set(answer, undefined);
    answer.off('close', end);
    socket.off('close', end);
    for (const callback of waiting) callback();
  };
  // A listener of the connection for each pipelined request.
  socket.setMaxListeners(0);
  answer.on('close', end);
  socket.on('close', end);
}

/** How fast a client must take its response. */
export interface ClientPace {
  /** The limit from the first byte of a response until the client has taken the last. */
  readonly answerMs: Millis;
  /** For a response marked long: the limit for the client to take anything of what was sent last. */
  readonly stallMs: Millis;
  /** For a response that blocks others: how long the client may take less than {@link LEAST_BYTES}. */
  readonly slowMs: Millis;
}

/** 64 kB per second, checked every 3 s. */
const LEAST_BYTES = 192_000;

/** Responses without a time limit, as long as the client continues to take them. */
const longOnes = new WeakSet<object>();
/** For responses that block a resource: whether others wait for it. */
const holders = new WeakMap<object, (() => boolean)[]>();

/** Limits a response by its client's progress instead of the total time. To be called before the response is sent. */
export function markLong(answer: object): void {
  longOnes.add(answer);
}

/**
 * Marks a response that blocks a resource until it was taken. To be called before the response is sent.
 * @param isWanted whether others wait for the resource
 */
export function markHolder(answer: object, isWanted: () => boolean): void {
  holders.set(answer, [...(holders.get(answer) ?? []), isWanted]);
}

/** Closes the connection of a client that is too slow. To be called when the response begins to be sent. */
export function keepPace(answer: ServerResponse, { answerMs, stallMs, slowMs }: ClientPace): void {
  const isWanted = holders.get(answer) ?? [];
  const timers = [
    // A client that takes nothing for so long may never take the rest, and others wait for its slot.
    longOnes.has(answer)
      ? watch(answer, stallMs, (bytes) => bytes === 0)
      : // A client that takes its response drop by drop would keep it in memory.
        setTimeout(() => giveUp(answer), answerMs),
    ...isWanted.map((isWanted) => watch(answer, slowMs, (bytes) => bytes < LEAST_BYTES && isWanted())),
  ];
  // The client may have left already.
  whenOver(answer, () => {
    for (const timer of timers) clearTimeout(timer);
  });
}

/** Drops a response as soon as its client took too little since the last check. */
function watch(answer: ServerResponse, everyMs: Millis, isTooLittle: (bytes: number) => boolean) {
  const stream = streamOf(answer);
  let drained = 0;
  // With HTTP/2, the connection counts the bytes of all its responses, so the stream's drained pieces are counted.
  stream?.on('drain', () => (drained += PIECE_BYTES));
  // A response queued behind another one has not begun, and counts 0.
  const count = (): number => (stream ? drained : (answer.socket?.bytesWritten ?? 0));
  let before = count();
  return setInterval(() => {
    const sent = count();
    if ((stream ?? answer).writableNeedDrain && isTooLittle(sent - before)) giveUp(answer);
    before = sent;
  }, everyMs);
}

/** Closes the whole connection: with HTTP/1, a response queued behind another one has no connection of its own. */
function giveUp(answer: ServerResponse): void {
  answer.req.socket.destroy();
}
