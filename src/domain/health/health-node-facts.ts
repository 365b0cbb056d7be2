import { isNothingThere } from '../probe-facts.js';
import { isRefusal } from '../node-interface/answer-form.js';
import type { ProbeEvents, ProbeName, ProbeOutcome } from '../events.js';
import type { Span } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import type { Millis } from '../time.js';

/** What a probe showed last, and since when. */
interface ProbeState {
  readonly outcome: ProbeOutcome;
  readonly statusCode: number | null;
  readonly detail: string;
  readonly since: Millis;
}

/** What probes say of the node itself, as JSON; nothing, to begin with. */
export const NO_NODE_FACTS = {
  /** The last look at the probes. */
  lookedAt: null as Millis | null,
  /** Looks prove that no probe answered otherwise up to here. */
  seenTo: null as Millis | null,
  /** While a hole between two looks is judged: when it became one. */
  unwatchedFrom: null as Millis | null,
  /** The end of the last such hole. */
  watchedFrom: null as Millis | null,
  /** Of `reachable` the last look; of the others the last answer: a connection that broke tells nothing of them. */
  probes: {} as Readonly<Partial<Record<ProbeName, ProbeState>>>,
  /** The last look that reached the node; null while none did. */
  reachedAt: null as Millis | null,
  /** The second failed look in a row; null until there is one. */
  failedAgainAt: null as Millis | null,
  /** Since when the node says that it is catching up; null while it does not. */
  catchingUpSince: null as Millis | null,
};

export type NodeFacts = Readonly<typeof NO_NODE_FACTS>;

/** Whether the last look did not reach the node. */
export function isOutOfReach({ probes }: NodeFacts): boolean {
  return probes.reachable !== undefined && probes.reachable.outcome !== 'OK';
}

/** Whether the last look found something else in the node's place: nobody knows whether the node is behind it. */
function isHidden({ probes }: NodeFacts): boolean {
  return probes.reachable?.outcome === 'INVALID';
}

/** Whether a probe was answered, but not as a live node would. */
export function isRefusedBy({ probes }: NodeFacts, name: ProbeName): boolean {
  const outcome = probes[name]?.outcome;
  return outcome !== undefined && outcome !== 'OK' && outcome !== 'NOT_OFFERED' && outcome !== 'INVALID';
}

/** Probes whose answer decides whether the node can be judged. */
export const DECIDING_PROBES = ['live', 'ready'] as const;

/** The probe that is refused to Hindsight, and the status that refuses it; undefined where none is. */
export function findRefused({
  probes,
}: NodeFacts): { readonly probe: (typeof DECIDING_PROBES)[number]; readonly status: number } | undefined {
  for (const probe of DECIDING_PROBES) {
    const { outcome, statusCode: status = null } = probes[probe] ?? {};
    if (outcome === 'INVALID' && status !== null && isRefusal(status)) return { probe, status };
  }
  return undefined;
}

/**
 * A probe that answers otherwise than before.
 *
 * @param goodTo up to when looks have shown that it still answered as before
 */
export function noteProbe(
  facts: NodeFacts,
  body: ProbeEvents['ProbeChanged'],
  at: Millis,
  goodTo: Millis | null,
): NodeFacts {
  const { probe, outcome, statusCode, detail } = body;
  if (probe === 'reachable') return noteReachable(facts, body, at, goodTo);
  // A connection that broke tells nothing of them, nor does a gateway that says so.
  if (statusCode === null || (outcome === 'INVALID' && statusCode >= 500 && isOutOfReach(facts)))
    return facts;
  if (isNothingThere(body) && isOutOfReach(facts) && !isHidden(facts)) return facts;
  // What is no answer of the node makes nothing better.
  if (outcome === 'INVALID' && isRefusedBy(facts, probe)) return facts;
  const before = facts.probes[probe];
  const isStillFailing = before !== undefined && before.outcome !== 'OK' && outcome !== 'OK';
  const since = isStillFailing ? before.since : at;
  const noted = { ...facts, probes: { ...facts.probes, [probe]: { outcome, statusCode, detail, since } } };
  if (probe !== 'status') return noted;
  const catchingUpSince = body.catchingUp === true ? (facts.catchingUpSince ?? at) : null;
  return { ...noted, catchingUpSince };
}

function noteReachable(
  facts: NodeFacts,
  { outcome, statusCode, detail }: ProbeEvents['ProbeChanged'],
  at: Millis,
  goodTo: Millis | null,
): NodeFacts {
  const wasFailing = isOutOfReach(facts);
  const wasHidden = isHidden(facts);
  if (outcome === 'INVALID' && wasFailing && !wasHidden) return facts;
  // Behind what hid it the node was not known to be away: that begins now.
  const isStillFailing = wasFailing && outcome !== 'OK' && wasHidden === (outcome === 'INVALID');
  const since = isStillFailing ? (facts.probes.reachable?.since ?? at) : at;
  const noted = { ...facts, probes: { ...facts.probes, reachable: { outcome, statusCode, detail, since } } };
  if (outcome === 'OK') return { ...noted, reachedAt: at, failedAgainAt: null };
  if (isStillFailing) return { ...noted, failedAgainAt: facts.failedAgainAt ?? at };
  if (wasFailing) return { ...noted, failedAgainAt: null };
  return { ...noted, reachedAt: facts.reachedAt === null ? null : (goodTo ?? facts.reachedAt) };
}

/** Whether looks fail, and none has reached the node since it is watched, or is watched again. */
export function isNeverReached(facts: NodeFacts): boolean {
  if (!isOutOfReach(facts) || isHidden(facts)) return false;
  return facts.reachedAt === null || facts.reachedAt < (facts.watchedFrom ?? -Infinity);
}

/** From when the node is out of reach: two looks failed, long enough after the last one that reached it. */
export function unreachableNodeSpan(facts: NodeFacts, t: HealthThresholds): Span | undefined {
  if (!isOutOfReach(facts) || isHidden(facts) || facts.failedAgainAt === null) return undefined;
  const since = facts.probes.reachable?.since ?? facts.failedAgainAt;
  const from = isNeverReached(facts)
    ? since
    : Math.max(since, (facts.reachedAt ?? since) + t.unreachableAfterMs);
  return { from, proven: facts.seenTo };
}

/** Up to when looks that reached the node prove that no probe answered otherwise. */
export function reachedTo(facts: NodeFacts): Millis | null {
  return isOutOfReach(facts) ? facts.reachedAt : facts.seenTo;
}
