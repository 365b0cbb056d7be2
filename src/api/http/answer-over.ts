import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What waits for the end of each connection: one listener for all of it, however many requests are under way on one. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once, when an answer was taken or nobody is there any more to take it. An answer that waits behind another
 * one has no part of the connection yet, and hears nothing when it closes. So the connection itself is listened to.
 */
export function whenOver(answer: ServerResponse, callback: () => void): void {
  const { socket } = answer.req;
  const callbacks = waitFor(socket);
  const end = (): void => {
    if (callbacks.delete(end)) callback();
  };
  callbacks.add(end);
  answer.once('close', end);
  if (socket.destroyed) end();
}

function waitFor(socket: Socket): Set<() => void> {
  const known = waiting.get(socket);
  if (known) return known;
  const callbacks = new Set<() => void>();
  waiting.set(socket, callbacks);
  socket.once('close', () => {
    for (const callback of callbacks) callback();
  });
  return callbacks;
}
