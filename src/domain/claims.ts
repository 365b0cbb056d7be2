import { createHash } from 'node:crypto';
import { canonicalJson } from './exact-json.js';
import type { Millis } from './time.js';

/** The last recorded claim of one kind, reduced to what decides whether the next claim is news. */
export interface KnownClaim {
  readonly recordedAt: Millis;
  /** Digest of the whole claim except its timestamp. */
  readonly digest: string;
  /** A change of this is recorded at once: status and issues of a health claim, and whether the node has the thing at all. */
  readonly headline: string;
}

/** Answers of a node's services that nothing else records: its state, its P2P stores, and so on. */
export const SERVICE_CLAIMS = ['state', 'stores', 'genesis', 'signer', 'peers', 'net', 'pruned'] as const;
export type ServiceClaim = (typeof SERVICE_CLAIMS)[number];

/** Whether a service answers that the node has no such thing, in the form of the Connect protocol. */
export function isNotFound(body: Readonly<Record<string, unknown>>): boolean {
  return body['code'] === 'not_found';
}

/** Shortest time between two recorded claims with the same headline. */
export const CLAIM_INTERVAL_MS = 60_000;

/** A duration as Go writes it; it grows from poll to poll although the issue stays the same. */
const DURATION = /\b(?:\d+(?:\.\d+)?(?:h|ms|m|s|µs|us|ns))+\b/g;

/** Reduces a claim to what is compared. The headline ignores durations, such as those in `issues`. */
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
 * Whether to record a claim: at once when its headline changed, otherwise at most once a minute when anything except its
 * timestamp changed. A last claim from the future was recorded before the clock was set back, and delays nothing.
 */
export function isNewClaim(known: KnownClaim | undefined, now: KnownClaim): boolean {
  if (!known || known.headline !== now.headline) return true;
  const age = now.recordedAt - known.recordedAt;
  return known.digest !== now.digest && (age < 0 || age >= CLAIM_INTERVAL_MS);
}
