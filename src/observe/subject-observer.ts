import type { Subject } from '../domain/events.js';
import type { Millis } from '../domain/time.js';
import type { TlsFiles } from '../platform/http-messages.js';

export interface SubjectObserver {
  readonly subject: Subject | 'node';
  /**
   * Polls once and records what is new. A node that misbehaves is an observation, not an error: only a failing database may
   * make this throw.
   *
   * @returns how long until the next poll is due
   */
  poll(signal: AbortSignal): Promise<Millis>;
}

/** An observer that reports whether its last poll saw the subject: the node answered, and had something to show. */
export interface SeeingObserver extends SubjectObserver {
  readonly hasSeen: boolean;
}

export interface ObservedNode {
  readonly id: string;
  readonly url: string;
  readonly statusUrl?: string;
  readonly service?: string;
  readonly chain?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly statusHeaders?: Readonly<Record<string, string>>;
  readonly tls?: TlsFiles;
  /** Whether the node is reached without a proxy. Left out: its answers show it, as far as they can. */
  readonly direct?: boolean;
  readonly record: 'none' | 'hashes' | 'full';
  readonly backfillFrom: 'first' | 'oldest' | bigint;
  /** The DA node that the node posts through, with a token or the file that has it. */
  readonly daNode?: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly token?: string | undefined;
    readonly tokenFile?: string | undefined;
    /** Addresses that pay for submissions; empty: the DA node's own. */
    readonly accounts: readonly string[];
    /** The REST of a consensus node of the same DA chain. */
    readonly consensus?: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  };
  readonly execution?: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}
