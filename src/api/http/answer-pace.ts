import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Millis } from '../../domain/time.js';
import { streamOf } from '../../platform/both-http.js';
import type { ReadDatabase } from '../../platform/reads/read-database.js';
import type { ReadRequest } from '../../platform/reads/read-request.js';
import { PIECE_BYTES } from './pieces.js';

/** The reads that one answer needs. They end when the client has taken the answer, or has left. */
export function readFor(answer: ServerResponse, reads: Pick<ReadDatabase, 'newRequest'>): ReadRequest {
  const reading = reads.newRequest();
  whenOver(answer, () => reading.end());
  markHolder(answer, () => reading.isInTheWay);
  return reading;
}

/**
 * The callbacks that wait for the end of each connection, and of each answer. One listener calls them all, however many requests
 * are under way, and however much is asked for one of them.
 */
const waiting = new WeakMap<Socket | ServerResponse, Set<() => void>>();

/**
 * Calls back once, when an answer was taken or nobody is there any more to take it. An answer that waits behind another
 * one has no part of the connection yet, and hears nothing when it closes. So the connection itself is listened to.
 */
export function whenOver(answer: ServerResponse, callback: () => void): void {
  const { socket } = answer.req;
  const [ofAnswer, ofSocket] = [waitFor(answer), waitFor(socket)];
  const end = (): void => {
    ofAnswer.delete(end);
    if (ofSocket.delete(end)) callback();
  };
  ofAnswer.add(end);
  ofSocket.add(end);
  if (socket.destroyed) end();
}

function waitFor(what: Socket | ServerResponse): Set<() => void> {
  const known = waiting.get(what);
  if (known) return known;
  const callbacks = new Set<() => void>();
  waiting.set(what, callbacks);
  what.once('close', () => {
    for (const callback of callbacks) callback();
  });
  return callbacks;
}

/** How fast a client must take its answer. */
export interface Pace {
  /** From the first byte of an answer until the client has taken its last. */
  readonly answerMs: Millis;
  /** Of an answer that may take longer: until the client takes what was sent last. */
  readonly stallMs: Millis;
  /** Of an answer that holds what others wait for: for so long a client may take less than {@link LEAST_BYTES}. */
  readonly slowMs: Millis;
}

/** 64 kB a second, as it is looked at every 3 s. */
const LEAST_BYTES = 192_000;

/** Answers that may take as long as their client goes on taking them. */
const longOnes = new WeakSet<object>();
/** Of answers that hold something: whether others wait for it. */
const holders = new WeakMap<object, (() => boolean)[]>();

/** An answer is bounded by its client's progress, and not by the time of all others. To be said before it is sent. */
export function markLong(answer: object): void {
  longOnes.add(answer);
}

/** An answer holds something until it was taken. To be said before it is sent. */
export function markHolder(answer: object, isWanted: () => boolean): void {
  holders.set(answer, [...(holders.get(answer) ?? []), isWanted]);
}

/** Ends the connection of a client that is too slow. To be called when the answer begins to be sent. */
export function keepPace(answer: ServerResponse, { answerMs, stallMs, slowMs }: Pace): void {
  const isWanted = holders.get(answer) ?? [];
  const timers = [
    // What a client has not taken for so long, it may never take, and somebody else waits for its place.
    longOnes.has(answer)
      ? watch(answer, stallMs, (bytes) => bytes === 0)
      : // A client that takes its answer drop by drop would keep it in memory.
        setTimeout(() => giveUp(answer), answerMs),
    ...isWanted.map((isWanted) => watch(answer, slowMs, (bytes) => bytes < LEAST_BYTES && isWanted())),
  ];
  // Its client may have left before it begins.
  whenOver(answer, () => {
    for (const timer of timers) clearTimeout(timer);
  });
}

/** Gives an answer up that waits for its client, as soon as that has taken too little since the last look. */
function watch(answer: ServerResponse, everyMs: Millis, isTooLittle: (bytes: number) => boolean) {
  const stream = streamOf(answer);
  let drained = 0;
  // Of HTTP/2 the connection has the bytes of all its answers.
  stream?.on('drain', () => (drained += PIECE_BYTES));
  // Behind another answer of its connection it has not begun.
  const count = (): number => (stream ? drained : (answer.socket?.bytesWritten ?? 0));
  let before = count();
  return setInterval(() => {
    const sent = count();
    if ((stream ?? answer).writableNeedDrain && isTooLittle(sent - before)) giveUp(answer);
    before = sent;
  }, everyMs);
}

/** Of HTTP/1 with its connection: behind another answer it has none of its own. */
function giveUp(answer: ServerResponse): void {
  answer.req.socket.destroy();
}
