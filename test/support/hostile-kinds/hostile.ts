import type { HostileServer } from '../hostile-server.js';

/** A node that does its worst. */
export interface Hostile {
  readonly url: string;
  /** How often it answered or did something instead; undefined: nobody is there who could count. */
  readonly asked: (() => number) | undefined;
  close(): Promise<void>;
}

/** What a hostile node is made with. */
export interface Circumstances {
  /** The chain of the node that behaves. */
  readonly chain: string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** What must be closed at the end. */
export interface Closable {
  close(): Promise<void>;
}

/** What a server makes of itself, and what is closed with it, after it. */
export function hostileAt(server: HostileServer, ...behind: readonly Closable[]): Hostile {
  return { url: server.url, asked: () => server.requests.length, close: closing(server, ...behind) };
}

/** Closes one after the other. */
export function closing(...parts: readonly Closable[]): () => Promise<void> {
  return async () => {
    for (const part of parts) await part.close();
  };
}

/** One of a list. */
export function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}
