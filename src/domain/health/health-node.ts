import type { ProbeEvents, ProbeName, ProbeOutcome } from '../events.js';
import { headLateLimit, headStillLimit, type BlockFacts } from './health-blocks.js';
import { ALWAYS, duration, type HealthRule, type Span } from './health-rule.js';
import { usualGap } from './usual.js';
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
  probes: {} as Readonly<Partial<Record<ProbeName, ProbeState>>>,
  /** The last look that reached the node; null while none did. */
  reachedAt: null as Millis | null,
  /** The second failed look in a row; null until there is one. */
  failedAgainAt: null as Millis | null,
  /** Since when the node says that it is catching up; null while it does not. */
  catchingUpSince: null as Millis | null,
};

export type NodeFacts = Readonly<typeof NO_NODE_FACTS>;

/** What the rules of the NODE component are functions of. */
export interface NodeInputs {
  readonly node: NodeFacts;
  readonly blocks: BlockFacts;
}

/** Whether the last look did not reach the node. */
export function isOutOfReach({ probes }: NodeFacts): boolean {
  return probes.reachable !== undefined && probes.reachable.outcome !== 'OK';
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
  const wasFailing = facts.probes[probe] !== undefined && facts.probes[probe].outcome !== 'OK';
  const since = wasFailing && outcome !== 'OK' ? (facts.probes[probe]?.since ?? at) : at;
  const noted = { ...facts, probes: { ...facts.probes, [probe]: { outcome, statusCode, detail, since } } };
  if (probe === 'status') {
    const catchingUpSince = body.catchingUp === true ? (facts.catchingUpSince ?? at) : null;
    return { ...noted, catchingUpSince };
  }
  if (probe !== 'reachable') return noted;
  if (outcome === 'OK') return { ...noted, reachedAt: at, failedAgainAt: null };
  if (wasFailing) return { ...noted, failedAgainAt: facts.failedAgainAt ?? at };
  return { ...noted, reachedAt: facts.reachedAt === null ? null : (goodTo ?? facts.reachedAt) };
}

const NOW: readonly Span[] = [{ from: ALWAYS }];
const when = (condition: boolean): readonly Span[] => (condition ? NOW : []);

/** The rules of the NODE component. The first one that holds decides. */
export const NODE_RULES: readonly HealthRule<NodeInputs>[] = [
  {
    name: 'not-watched',
    state: 'UNKNOWN',
    when: 'nobody looked at the node for 30 s (notWatchedAfterMs)',
    spans: ({ node }) =>
      node.unwatchedFrom === null
        ? when(node.probes.reachable === undefined)
        : [{ from: node.unwatchedFrom }],
    reason: ({ node }, t) =>
      node.unwatchedFrom === null
        ? 'Hindsight has not looked at the node yet.'
        : `Hindsight itself did not look at the node for more than ${duration(t.notWatchedAfterMs)} (notWatchedAfterMs). What happened in that time is not known.`,
  },
  {
    name: 'unreachable',
    state: 'CRITICAL',
    when: 'two looks or more failed, and none reached the node for 5 s (unreachableAfterMs)',
    spans: ({ node }, t) => {
      if (!isOutOfReach(node) || node.failedAgainAt === null) return [];
      const since = node.probes.reachable?.since ?? node.failedAgainAt;
      const from = node.reachedAt === null ? since : Math.max(since, node.reachedAt + t.unreachableAfterMs);
      return [{ from, proven: node.seenTo }];
    },
    reason: ({ node }, t, at) =>
      (node.reachedAt === null
        ? 'The node has never answered'
        : `No probe has reached the node for ${duration(at - node.reachedAt)}`) +
      `: ${detailOf(node, 'reachable')} (unreachableAfterMs ${t.unreachableAfterMs}).`,
  },
  {
    name: 'not-live',
    state: 'CRITICAL',
    when: 'the liveness probe answers something else than 200',
    spans: ({ node }) => when(!isOutOfReach(node) && isRefusedBy(node, 'live')),
    reason: ({ node }) => `The node is not alive by its own probe: /health/live ${detailOf(node, 'live')}.`,
  },
  {
    name: 'head-still',
    state: 'CRITICAL',
    when: 'no new block for 20 × the usual block interval (at least 15 s, or longestBlockIntervalMs)',
    spans: ({ node, blocks }, t) =>
      isOutOfReach(node) || blocks.headAdvancedAt === null
        ? []
        : [{ from: blocks.headAdvancedAt + headStillLimit(blocks, t), proven: blocks.seenTo }],
    reason: ({ blocks }, t, at) =>
      `The chain stands still: no block after ${blocks.head ?? '?'} for ${duration(at - (blocks.headAdvancedAt ?? at))} ` +
      `(limit ${duration(headStillLimit(blocks, t))}: ${t.headStillUsualFactor} × the usual ${duration(usualGap(blocks.headGaps, t))} between blocks, ` +
      `at least headStillAfterMs ${t.headStillAfterMs} and longestBlockIntervalMs ${t.longestBlockIntervalMs}).`,
  },
  {
    name: 'look-failed',
    state: 'WARNING',
    when: 'two looks in a row did not reach the node',
    spans: ({ node }) =>
      isOutOfReach(node) && node.failedAgainAt !== null ? [{ from: node.failedAgainAt }] : [],
    reason: ({ node }) => `Two looks in a row did not reach the node: ${detailOf(node, 'reachable')}.`,
  },
  {
    name: 'not-reached',
    state: 'UNKNOWN',
    when: 'no look has reached the node yet',
    spans: ({ node }) => when(node.reachedAt === null),
    reason: ({ node }) => `No look has reached the node yet: ${detailOf(node, 'reachable')}.`,
  },
  {
    name: 'not-ready',
    state: 'WARNING',
    when: 'the readiness probe answers something else than 200',
    spans: ({ node }) => when(!isOutOfReach(node) && isRefusedBy(node, 'ready')),
    reason: ({ node }) => `The node is not ready by its own probe: /health/ready ${detailOf(node, 'ready')}.`,
  },
  {
    name: 'head-late',
    state: 'WARNING',
    when: 'half of the time for head-still has passed without a new block',
    spans: ({ node, blocks }, t) =>
      isOutOfReach(node) || blocks.headAdvancedAt === null
        ? []
        : [{ from: blocks.headAdvancedAt + headLateLimit(blocks, t), proven: blocks.seenTo }],
    reason: ({ blocks }, t, at) =>
      `Blocks are late: none after ${blocks.head ?? '?'} for ${duration(at - (blocks.headAdvancedAt ?? at))}, where ` +
      `${duration(usualGap(blocks.headGaps, t))} are usual (critical after ${duration(headStillLimit(blocks, t))}; headLateShare ${t.headLateShare}).`,
  },
  {
    name: 'catching-up',
    state: 'WARNING',
    when: 'the node says catching_up for 30 s (catchingUpAfterMs) while its head moves',
    spans: ({ node, blocks }, t) => {
      const { catchingUpSince } = node;
      const isMoving = (blocks.headAdvancedAt ?? 0) > (catchingUpSince ?? Infinity);
      return catchingUpSince !== null && isMoving
        ? [{ from: catchingUpSince + t.catchingUpAfterMs, proven: node.seenTo }]
        : [];
    },
    reason: ({ node }, t, at) =>
      `The node has been catching up with its chain for ${duration(at - (node.catchingUpSince ?? at))} (catchingUpAfterMs ${t.catchingUpAfterMs}).`,
  },
  {
    name: 'healthy',
    state: 'HEALTHY',
    when: 'none of the above',
    spans: () => NOW,
    reason: ({ blocks }) =>
      `The node answers${blocks.head === null ? '' : ` and is at block ${blocks.head}`}.`,
  },
];

/** Whether a probe was answered, but not as a live node would: a connection that broke says nothing of the node. */
function isRefusedBy({ probes }: NodeFacts, name: ProbeName): boolean {
  const probe = probes[name];
  return (probe?.outcome === 'FAILED' || probe?.outcome === 'INVALID') && probe.statusCode !== null;
}

function detailOf({ probes }: NodeFacts, name: ProbeName): string {
  const probe = probes[name];
  if (!probe) return 'no answer';
  const status = probe.statusCode === null ? probe.outcome : `answered ${probe.statusCode}`;
  return probe.detail ? `${status}, ${probe.detail}` : status;
}
