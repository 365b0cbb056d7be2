import { createHash } from 'node:crypto';
import { canonicalJson } from './exact-json.js';
import type { Millis } from './time.js';

/** The last claim of one kind that was recorded: what is needed to tell whether the next one says something new. */
export interface KnownClaim {
  readonly recordedAt: Millis;
  /** Digest of all that it said but for the time it was made at. */
  readonly digest: string;
  /** What must not wait when it changes: status and issues of a health claim, and whether a node has a thing at all. */
  readonly headline: string;
}

/** Answers of a node's services that nothing else records: its state, its P2P stores, and so on. */
export const SERVICE_CLAIMS = ['state', 'stores', 'genesis', 'signer', 'peers', 'net', 'pruned'] as const;
export type ServiceClaim = (typeof SERVICE_CLAIMS)[number];

/** Whether an answer of a service says that the node has no such thing, in the form of the Connect protocol. */
export function isNotFound(body: Readonly<Record<string, unknown>>): boolean {
  return body['code'] === 'not_found';
}

/** A claim that is not news waits until this long after the last one that was recorded. */
export const CLAIM_INTERVAL_MS = 60_000;

/** A length of time as Go writes it; it grows from look to look although the issue stays the same. */
const DURATION = /\b(?:\d+(?:\.\d+)?(?:h|ms|m|s|µs|us|ns))+\b/g;

/** What a claim amounts to, for comparing it with others. `issues` count apart from lengths of time in them. */
export function summariseClaim(body: Readonly<Record<string, unknown>>, recordedAt: Millis): KnownClaim {
  const { timestamp: _, ...said } = body;
  const digest = createHash('sha256')
    .update(canonicalJson(JSON.stringify(said)))
    .digest('hex');
  const headlines = [
    body['status'] ?? null,
    body['issues'] ?? null,
    ...(isNotFound(body) ? ['not_found'] : []),
  ];
  const headline = JSON.stringify(headlines).replace(DURATION, '…');
  return { recordedAt, digest, headline };
}

/**
 * Whether a claim is to be recorded: at once when its headline changed, else at most once a minute when
 * anything but its timestamp did. A last claim from the future was recorded by a clock that has been set back.
 */
export function isNewClaim(known: KnownClaim | undefined, now: KnownClaim): boolean {
  if (!known || known.headline !== now.headline) return true;
  const age = now.recordedAt - known.recordedAt;
  return known.digest !== now.digest && (age < 0 || age >= CLAIM_INTERVAL_MS);
}
