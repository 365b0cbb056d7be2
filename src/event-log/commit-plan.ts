import type { NewEvent } from '../domain/events.js';
import { FIRST_HASH, hashEvent } from '../domain/hash-chain.js';
import { CURRENT_SCHEMA, encodeBody } from './event-codec.js';
import { microsToText } from './log-row.js';

/** Events for the end of one stream, with the observer's state after them. */
export interface Append {
  readonly stream: string;
  /** The version that the observer decided on; 0 for a new stream. */
  readonly expectedVersion: bigint;
  readonly events: readonly NewEvent[];
  /** JSON that replaces the stream's observer state; left out, the old one stays. */
  readonly state?: unknown;
}

export type AppendResult = { readonly won: true; readonly version: bigint } | { readonly won: false };

/** The end of a stream in the database. */
export interface Head {
  readonly version: bigint;
  readonly hash: Uint8Array;
}

/** What one commit writes, column by column, and who won. */
export interface CommitPlan {
  readonly results: AppendResult[];
  readonly events: {
    position: string[];
    stream: string[];
    version: string[];
    type: string[];
    schema: number[];
    observedAt: string[];
    body: string[];
    hash: Uint8Array[];
  };
  readonly heads: { stream: string[]; version: string[]; hash: Uint8Array[]; state: (string | null)[] };
}

/**
 * Decides who wins, and numbers and chains the winners' events.
 *
 * @param heads the ends of the streams as locked; moved on as appends win, so that two appends to one stream follow each other
 * @param lastPosition the position before the first new event
 * @param recordedAt Unix microseconds, for all events of the commit
 */
export function planCommit(
  appends: readonly Append[],
  heads: Map<string, Head>,
  lastPosition: bigint,
  recordedAt: bigint,
): CommitPlan {
  const plan: CommitPlan = {
    results: [],
    events: {
      position: [],
      stream: [],
      version: [],
      type: [],
      schema: [],
      observedAt: [],
      body: [],
      hash: [],
    },
    heads: { stream: [], version: [], hash: [], state: [] },
  };
  const states = new Map<string, string | null>();
  let position = lastPosition;
  for (const { stream, expectedVersion, events, state } of appends) {
    let { version, hash } = heads.get(stream) ?? { version: 0n, hash: FIRST_HASH };
    if (version !== expectedVersion) {
      plan.results.push({ won: false });
      continue;
    }
    for (const event of events) {
      position += 1n;
      version += 1n;
      const observedAt = BigInt(Math.round(event.observedAt * 1000));
      const bodyText = encodeBody(event);
      const { type } = event;
      const schema = CURRENT_SCHEMA;
      hash = hashEvent(hash, { position, stream, version, type, schema, observedAt, recordedAt, bodyText });
      plan.events.position.push(position.toString());
      plan.events.stream.push(stream);
      plan.events.version.push(version.toString());
      plan.events.type.push(type);
      plan.events.schema.push(schema);
      plan.events.observedAt.push(microsToText(observedAt));
      plan.events.body.push(bodyText);
      plan.events.hash.push(hash);
    }
    heads.set(stream, { version, hash });
    states.set(stream, state === undefined ? (states.get(stream) ?? null) : JSON.stringify(state));
    plan.results.push({ won: true, version });
  }
  for (const [stream, state] of states) {
    const head = heads.get(stream);
    if (!head) continue;
    plan.heads.stream.push(stream);
    plan.heads.version.push(head.version.toString());
    plan.heads.hash.push(head.hash);
    plan.heads.state.push(state);
  }
  return plan;
}
