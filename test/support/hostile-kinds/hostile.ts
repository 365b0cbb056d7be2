import type { HostileServer } from '../hostile-server.js';

/** A node that does its worst. */
export interface Hostile {
  readonly url: string;
  /** How often it answered or misbehaved; undefined: there is no server to count. */
  readonly asked: (() => number) | undefined;
  close(): Promise<void>;
}

/** Inputs of a hostile node. */
export interface Circumstances {
  /** The chain of the well-behaved node. */
  readonly chain: string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export interface Closable {
  close(): Promise<void>;
}

/** A hostile node at a server, which closes the others after itself. */
export function hostileAt(server: HostileServer, ...behind: readonly Closable[]): Hostile {
  return { url: server.url, asked: () => server.requests.length, close: closing(server, ...behind) };
}

/** Closes the parts one after the other. */
export function closing(...parts: readonly Closable[]): () => Promise<void> {
  return async () => {
    for (const part of parts) await part.close();
  };
}

/** One of a list. */
export function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}
