import type { VerdictChange } from './health-line.js';
import type { HealthState } from './health-rule.js';
import { isTroubled } from './trouble.js';
import type { Millis } from '../time.js';

/** A time in which one rule decided, as JSON. Times are on the observer's clock. */
export interface RuleInterval extends Omit<VerdictChange, 'at'> {
  readonly from: Millis;
  readonly to: Millis | null;
  /** The node's claim: the one that contradicted us, if any, else the first that claimed anything. */
  readonly claim: string | null;
  /** When the claim contradicted us, as far as it was polled. Disjoint, ascending. */
  readonly contradicted: readonly (readonly [Millis, Millis])[];
}

/** The intervals of a component that can still change: the open one, and closed ones that a late poll may affect. */
export interface IntervalBook {
  readonly open: RuleInterval | null;
  /** Newest last. */
  readonly closed: readonly RuleInterval[];
}

export const NO_INTERVALS: IntervalBook = { open: null, closed: [] };

/** A claim of the node about its DA layer's health. It is valid until a poll shows another one. */
export interface DaClaim {
  /** As sent; null if the node does not say. */
  readonly status: string | null;
  /** The first poll that showed it, and up to when it is known to have been valid. */
  readonly since: Millis;
  readonly seenTo: Millis;
}

/** A change of the recorded intervals: one is written, again or for the first time, or removed. `from` identifies it. */
export type IntervalEdit =
  | { readonly kind: 'put'; readonly interval: RuleInterval }
  | { readonly kind: 'drop'; readonly from: Millis };

/** Closed intervals that are kept for polls that are recorded late. */
const KEPT_CLOSED = 12;

/** A node's claims in our words; anything else (`unknown`, `n/a`) claims nothing. */
const CLAIMED: Readonly<Record<string, HealthState>> = {
  healthy: 'HEALTHY',
  ok: 'HEALTHY',
  warning: 'WARNING',
  degraded: 'WARNING',
  unhealthy: 'CRITICAL',
  critical: 'CRITICAL',
};

/** A claimed status in our words; `UNKNOWN` if it claims nothing. */
export function readClaim(status: string | null): HealthState {
  return CLAIMED[(status ?? '').trim().toLowerCase()] ?? 'UNKNOWN';
}

/**
 * Whether a node's claim contradicts our verdict: one says healthy, the other critical. A smaller difference (degraded in an
 * outage, healthy during a warning) is another opinion, not a contradiction. Null if there is nothing to compare, since one of
 * the two does not know.
 */
export function contradicts(status: string | null, ours: HealthState): boolean | null {
  const claimed = readClaim(status);
  if (claimed === 'UNKNOWN' || ours === 'UNKNOWN') return null;
  return (claimed === 'HEALTHY' && ours === 'CRITICAL') || (claimed === 'CRITICAL' && ours === 'HEALTHY');
}

export function contradictedMs({ contradicted }: RuleInterval): Millis {
  return contradicted.reduce((sum, [from, to]) => sum + to - from, 0);
}

/**
 * Enters a new verdict. It replaces the open interval if both begin at the same time.
 *
 * @param endReason the reason of the open interval once it is over; without one it keeps the reason of its begin
 */
export function enterVerdict(
  book: IntervalBook,
  change: VerdictChange,
  claim: string | null,
  endReason?: string,
): { readonly book: IntervalBook; readonly edits: readonly IntervalEdit[] } {
  const { at, ...verdict } = change;
  const fresh: RuleInterval = { from: at, to: null, ...verdict, claim, contradicted: [] };
  const { open, closed } = book;
  if (open === null) return { book: { open: fresh, closed }, edits: [put(fresh)] };
  if (at > open.from) {
    const reason = endReason ?? open.reason;
    const ended = { ...open, to: at, reason, contradicted: clip(open.contradicted, at) };
    const kept = [...closed, ended].slice(-KEPT_CLOSED);
    return { book: { open: fresh, closed: kept }, edits: [put(ended), put(fresh)] };
  }
  const before = closed.at(-1);
  if (before?.to === at && before.rule === change.rule) {
    // The reason of trouble at its end is not its reason now.
    const reason = isTroubled(before.state) ? change.reason : before.reason;
    const reopened = { ...before, to: null, reason };
    return {
      book: { open: reopened, closed: closed.slice(0, -1) },
      edits: [{ kind: 'drop', from: open.from }, put(reopened)],
    };
  }
  return { book: { open: fresh, closed }, edits: [put(fresh)] };
}

/**
 * Enters what is known of the claim now: `claim` was valid from `since` to `seenTo`.
 *
 * @param differsAfterMs a shorter contradiction does not count: the node may take a moment longer than we do
 */
export function enterClaim(
  book: IntervalBook,
  claim: DaClaim,
  differsAfterMs: Millis,
): { readonly book: IntervalBook; readonly edits: readonly IntervalEdit[] } {
  const edits: IntervalEdit[] = [];
  const revise = (interval: RuleInterval): RuleInterval => {
    const revised = withClaim(interval, claim, differsAfterMs);
    if (revised !== interval) edits.push(put(revised));
    return revised;
  };
  const closed = book.closed.map(revise);
  const open = book.open && revise(book.open);
  // Later polls do not affect an interval that ended before; only the last one may be reopened.
  const kept = closed.filter(({ to }, index) => index === closed.length - 1 || (to ?? 0) > claim.seenTo);
  return { book: { open, closed: kept }, edits };
}

function withClaim(interval: RuleInterval, claim: DaClaim, differsAfterMs: Millis): RuleInterval {
  const from = Math.max(interval.from, claim.since);
  const to = Math.min(interval.to ?? claim.seenTo, claim.seenTo);
  if (to - from >= differsAfterMs && contradicts(claim.status, interval.state)) {
    const contradicted = join(interval.contradicted, [from, to]);
    return contradicted === interval.contradicted
      ? interval
      : { ...interval, claim: claim.status, contradicted };
  }
  const isWithin = claim.since < (interval.to ?? Infinity) && claim.seenTo >= interval.from;
  return isWithin && readClaim(interval.claim) === 'UNKNOWN' && interval.claim !== claim.status
    ? { ...interval, claim: claim.status }
    : interval;
}

function join(
  spans: RuleInterval['contradicted'],
  [from, to]: readonly [Millis, Millis],
): RuleInterval['contradicted'] {
  const last = spans.at(-1);
  if (!last || from > last[1]) return [...spans, [from, to]];
  return to > last[1] ? [...spans.slice(0, -1), [Math.min(last[0], from), to]] : spans;
}

function clip(spans: RuleInterval['contradicted'], at: Millis): RuleInterval['contradicted'] {
  return spans.filter(([from]) => from < at).map(([from, to]) => [from, Math.min(to, at)] as const);
}

function put(interval: RuleInterval): IntervalEdit {
  return { kind: 'put', interval };
}
