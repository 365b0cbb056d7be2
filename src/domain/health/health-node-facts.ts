import { isNothingThere } from '../probe-facts.js';
import { isRefusal } from '../node-interface/answer-form.js';
import type { ProbeEvents, ProbeName, ProbeOutcome } from '../events.js';
import type { RuleSpan } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import type { Millis } from '../time.js';

/** The latest result of a probe, and since when it has been so. */
interface ProbeState {
  readonly outcome: ProbeOutcome;
  readonly statusCode: number | null;
  readonly detail: string;
  readonly since: Millis;
}

/** Facts from probes about the node itself, as JSON. Initially empty. */
export const NO_NODE_FACTS = {
  lookedAt: null as Millis | null,
  /** Polls prove that no probe changed its answer up to here. */
  seenTo: null as Millis | null,
  /** While a gap between two polls is judged: when it became too long. */
  unwatchedFrom: null as Millis | null,
  /** The end of the last such gap. */
  watchedFrom: null as Millis | null,
  /** The last poll of `reachable`, and the last answer of the others: a broken connection shows nothing of them. */
  probes: {} as Readonly<Partial<Record<ProbeName, ProbeState>>>,
  /** The last poll that reached the node; null if none has. */
  reachedAt: null as Millis | null,
  /** The second failed poll in a row; null until there is one. */
  failedAgainAt: null as Millis | null,
  /** Since when the node reports that it is catching up; null while it does not. */
  catchingUpSince: null as Millis | null,
};

export type NodeFacts = Readonly<typeof NO_NODE_FACTS>;

/** Whether the last poll did not reach the node. */
export function isOutOfReach({ probes }: NodeFacts): boolean {
  return probes.reachable !== undefined && probes.reachable.outcome !== 'OK';
}

/** Whether the last poll found something else at the node's address, so that the state of the node behind it is unknown. */
function isHidden({ probes }: NodeFacts): boolean {
  return probes.reachable?.outcome === 'INVALID';
}

/** Whether a probe was answered, but not as a live node would. */
export function isRefusedBy({ probes }: NodeFacts, name: ProbeName): boolean {
  const outcome = probes[name]?.outcome;
  return outcome !== undefined && outcome !== 'OK' && outcome !== 'NOT_OFFERED' && outcome !== 'INVALID';
}

export const DECIDING_PROBES = ['live', 'ready'] as const;

/** The probe that the node refuses to answer Hindsight, and the status of the refusal; undefined if no probe is refused. */
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
 * Notes a probe whose answer changed.
 *
 * @param goodTo up to when polls have shown the previous answer
 */
export function noteProbe(
  facts: NodeFacts,
  body: ProbeEvents['ProbeChanged'],
  at: Millis,
  goodTo: Millis | null,
): NodeFacts {
  const { probe, outcome, statusCode, detail } = body;
  if (probe === 'reachable') return noteReachable(facts, body, at, goodTo);
  // A broken connection, or a gateway that reports one, shows nothing of these probes.
  if (statusCode === null || (outcome === 'INVALID' && statusCode >= 500 && isOutOfReach(facts)))
    return facts;
  if (isNothingThere(body) && isOutOfReach(facts) && !isHidden(facts)) return facts;
  // An answer that is not the node's own improves nothing.
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
  // While something else answered in its place, the node was not known to be unreachable: that begins now.
  const isStillFailing = wasFailing && outcome !== 'OK' && wasHidden === (outcome === 'INVALID');
  const since = isStillFailing ? (facts.probes.reachable?.since ?? at) : at;
  const noted = { ...facts, probes: { ...facts.probes, reachable: { outcome, statusCode, detail, since } } };
  if (outcome === 'OK') return { ...noted, reachedAt: at, failedAgainAt: null };
  if (isStillFailing) return { ...noted, failedAgainAt: facts.failedAgainAt ?? at };
  if (wasFailing) return { ...noted, failedAgainAt: null };
  return { ...noted, reachedAt: facts.reachedAt === null ? null : (goodTo ?? facts.reachedAt) };
}

/** Whether polls fail, and none has reached the node since monitoring began or resumed. */
export function isNeverReached(facts: NodeFacts): boolean {
  if (!isOutOfReach(facts) || isHidden(facts)) return false;
  return facts.reachedAt === null || facts.reachedAt < (facts.watchedFrom ?? -Infinity);
}

/** The span in which the node is unreachable: two polls failed, long enough after the last one that reached the node. */
export function unreachableNodeSpan(facts: NodeFacts, t: HealthThresholds): RuleSpan | undefined {
  if (!isOutOfReach(facts) || isHidden(facts) || facts.failedAgainAt === null) return undefined;
  const since = facts.probes.reachable?.since ?? facts.failedAgainAt;
  const from = isNeverReached(facts)
    ? since
    : Math.max(since, (facts.reachedAt ?? since) + t.unreachableAfterMs);
  return { from, proven: facts.seenTo };
}

/** Up to when polls that reached the node prove that no probe changed its answer. */
export function reachedTo(facts: NodeFacts): Millis | null {
  return isOutOfReach(facts) ? facts.reachedAt : facts.seenTo;
}
