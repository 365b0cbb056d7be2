import type { EventType, NewEvent } from '../domain/events.js';
import { FIRST_HASH, hashEvent } from '../domain/hash-chain.js';
import type { Micros } from '../domain/time.js';
import type { EventEntity, StreamHeadEntity } from '../tables/log.entities.js';
import { CURRENT_SCHEMA, encodeBody } from './logged-event.js';

/** Events for the end of one stream, with the observer's state after them. */
export interface Append {
  readonly stream: string;
  /** The version that the observer decided on; 0 for a new stream. */
  readonly expectedVersion: bigint;
  readonly events: readonly NewEvent[];
  /** JSON that replaces the stream's observer state; if left out, the old state remains. */
  readonly state?: unknown;
}

/** An append as it is stored, but without its position in the log. */
export interface EncodedAppend {
  readonly stream: string;
  readonly expectedVersion: bigint;
  readonly events: readonly EncodedEvent[];
  /** JSON; null keeps the old state. */
  readonly state: string | null;
}

interface EncodedEvent {
  readonly type: EventType;
  readonly observedAt: Micros;
  readonly bodyText: string;
}

export type AppendResult = { readonly won: true; readonly version: bigint } | { readonly won: false };

/** The end of a stream in the database. */
export type Head = Pick<StreamHeadEntity, 'version' | 'hash'>;

/** An event with its position in the log. */
type PlannedEvent = Omit<EventEntity, 'recordedAt' | 'body'> & { readonly bodyText: string };

/** The end of a stream after a commit. */
interface PlannedHead extends Head {
  readonly stream: string;
  /** JSON; null keeps the old state. */
  readonly state: string | null;
}

/** The rows that one commit writes, and which appends won. */
export interface CommitPlan {
  readonly results: AppendResult[];
  readonly events: PlannedEvent[];
  readonly heads: PlannedHead[];
}

/** Does all the work on an append that needs no lock, so that it does not keep other appends waiting. */
export function encodeAppend({ stream, expectedVersion, events, state }: Append): EncodedAppend {
  return {
    stream,
    expectedVersion,
    events: events.map((event) => ({
      type: event.type,
      observedAt: BigInt(Math.round(event.observedAt * 1000)),
      bodyText: encodeBody(event),
    })),
    state: state === undefined ? null : JSON.stringify(state),
  };
}

/**
 * Decides which appends win, and numbers and chains their events.
 *
 * @param heads the ends of the streams as locked; advanced as appends win, so that two appends to one stream follow each other
 * @param lastPosition the position before the first new event
 * @param recordedAt of all events of the commit
 */
export function planCommit(
  appends: readonly EncodedAppend[],
  heads: Map<string, Head>,
  lastPosition: bigint,
  recordedAt: Micros,
): CommitPlan {
  const plan: CommitPlan = { results: [], events: [], heads: [] };
  const states = new Map<string, string | null>();
  let position = lastPosition;
  for (const { stream, expectedVersion, events, state } of appends) {
    let { version, hash } = heads.get(stream) ?? { version: 0n, hash: FIRST_HASH };
    if (version !== expectedVersion) {
      plan.results.push({ won: false });
      continue;
    }
    for (const { type, observedAt, bodyText } of events) {
      position += 1n;
      version += 1n;
      const schema = CURRENT_SCHEMA;
      hash = hashEvent(hash, { position, stream, version, type, schema, observedAt, recordedAt, bodyText });
      plan.events.push({ position, stream, version, type, schema, observedAt, bodyText, hash });
    }
    heads.set(stream, { version, hash });
    states.set(stream, state ?? states.get(stream) ?? null);
    plan.results.push({ won: true, version });
  }
  for (const [stream, state] of states) {
    const head = heads.get(stream);
    if (head) plan.heads.push({ stream, ...head, state });
  }
  return plan;
}
