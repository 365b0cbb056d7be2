import type { ProbeName } from '../events.js';
import { differText, REPLACED_FOR_MS, replacedText } from './chain-history.js';
import { HEAD_HELD_RULE, isHeadHeld, type HeadInputs } from './held-head.js';
import { headLateLimit, headStillLimit, type BlockFacts } from './health-blocks.js';
import {
  DECIDING_PROBES,
  findRefused,
  isNeverReached,
  isOutOfReach,
  isRefusedBy,
  reachedTo,
  unreachableNodeSpan,
  type NodeFacts,
} from './health-node-facts.js';
import {
  duration,
  limitBy,
  maybe,
  when,
  type HealthRule,
  type RuleSpan,
  decidedBy,
  usualText,
} from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import type { Millis } from '../time.js';

interface NodeInputs extends HeadInputs {
  readonly node: NodeFacts;
}

/** Polls of the blocks are on record within about a minute; the blocks of a busy node are polled less often. */
const BLOCKS_UNSEEN_FACTOR = 6;
const BLOCKS_UNSEEN_LEAST_MS: Millis = 90_000;

/** The rules of the NODE component. The first one that holds decides. */
export const NODE_RULES: readonly HealthRule<NodeInputs>[] = [
  {
    name: 'not-watched',
    state: 'UNKNOWN',
    when: 'no poll of the node is on record for 30 s (`notWatchedAfter`)',
    spans: ({ node }) =>
      node.unwatchedFrom === null
        ? when(node.probes.reachable === undefined)
        : [{ from: node.unwatchedFrom }],
    reason: ({ node }, t) =>
      node.unwatchedFrom === null
        ? 'The node has not been polled yet.'
        : `Not monitored: no poll of the node is on record for more than ${duration(t.notWatchedAfterMs)}. ` +
          'Hindsight was stopped, or could not record.',
    limit: ({ node }, t) =>
      node.unwatchedFrom === null ? undefined : limitBy('notWatchedAfterMs', t.notWatchedAfterMs),
  },
  {
    name: 'unreachable',
    state: 'CRITICAL',
    when: 'two polls or more failed, and none reached the node for 5 s (`unreachableAfter`)',
    spans: ({ node }, t) => maybe(unreachableNodeSpan(node, t)),
    reason: ({ node }, _, at) =>
      node.reachedAt === null
        ? `The node has never answered: ${detailOf(node, 'reachable')}.`
        : `Node unreachable for ${duration(at - node.reachedAt)}: ${detailOf(node, 'reachable')}.`,
    limit: (_, t) => limitBy('unreachableAfterMs', t.unreachableAfterMs),
  },
  {
    name: 'not-reached',
    state: 'UNKNOWN',
    when: 'the first poll, or the first after a time without any, did not reach the node',
    spans: ({ node }) => when(isNeverReached(node)),
    reason: ({ node }) =>
      `No poll has reached the node ${node.reachedAt === null ? 'yet' : 'since monitoring resumed'}: ${detailOf(node, 'reachable')}.`,
  },
  {
    name: 'not-live',
    state: 'CRITICAL',
    when: 'the liveness probe answers something else than 200',
    spans: ({ node }) => when(isRefusedBy(node, 'live')),
    reason: ({ node }) => `The node reports that it is not live: /health/live ${detailOf(node, 'live')}.`,
  },
  {
    name: 'histories-differ',
    state: 'CRITICAL',
    when: 'another node of the chain shows other blocks at the same heights',
    spans: ({ blocks: { otherHistory } }) => (otherHistory === null ? [] : [{ from: otherHistory.since }]),
    reason: ({ blocks }) => differText(blocks),
  },
  {
    name: HEAD_HELD_RULE,
    state: 'UNKNOWN',
    when: 'as `head-late`, but the DA layer of the chain was in trouble before, and blocks wait for it: an aggregator that has as many of them as it may keep makes no more',
    spans: (inputs, t) =>
      isHeadHeld(inputs) ? stillSpans(inputs.blocks, headLateLimit(inputs.blocks, t)) : [],
    reason: ({ blocks }) =>
      `No block after ${blocks.head ?? '?'} while submissions to the DA layer fail: the aggregator may have reached its limit of ` +
      'pending blocks. Whether the node itself is healthy is unknown until submissions succeed again.',
    limit: ({ blocks }, t) => limitBy('headLateShare', headLateLimit(blocks, t)),
  },
  {
    name: 'head-still',
    state: 'CRITICAL',
    when: 'no new block for 20 × the usual block interval (at least 15 s, or `longestBlockInterval`)',
    spans: ({ blocks }, t) => stillSpans(blocks, headStillLimit(blocks, t)),
    reason: ({ blocks }, t, at) =>
      `No new block for ${duration(at - (blocks.headAdvancedAt ?? at))}: the head stayed at block ${blocks.head ?? '?'} ` +
      `(critical after ${duration(headStillLimit(blocks, t))}; ${usualText(blocks.headGaps, 'blocks', t)}).`,
    limit: ({ blocks }, t) => {
      const limit = headStillLimit(blocks, t);
      const bounds = ['headStillAfterMs', 'longestBlockIntervalMs'] as const;
      return limitBy(decidedBy(limit, bounds, 'headStillUsualFactor', t), limit);
    },
  },
  {
    name: 'refused',
    state: 'UNKNOWN',
    when: 'the liveness or the readiness probe is answered by 401, 403 or 407 (the token), or by 429 (too many requests)',
    spans: ({ node }) => when(findRefused(node) !== undefined),
    reason: ({ node }) => {
      const name = findRefused(node)?.probe ?? 'live';
      return `The node refuses Hindsight, so its status is unknown: /health/${name} ${detailOf(node, name)}.`;
    },
  },
  {
    name: 'invalid',
    state: 'UNKNOWN',
    when: 'the liveness or the readiness probe is answered in the place of the node: by a web page or a redirect, or by what anybody may say where nothing answers as a node',
    spans: ({ node }) => when(DECIDING_PROBES.some((name) => node.probes[name]?.outcome === 'INVALID')),
    reason: ({ node }) => {
      const name = DECIDING_PROBES.find((each) => node.probes[each]?.outcome === 'INVALID') ?? 'live';
      return `The node's address answers, but not as a node, so its status is unknown: /health/${name} ${detailOf(node, name)}.`;
    },
  },
  {
    name: 'look-failed',
    state: 'WARNING',
    when: 'two polls in a row did not reach the node',
    spans: ({ node }) =>
      isOutOfReach(node) && node.failedAgainAt !== null ? [{ from: node.failedAgainAt }] : [],
    reason: ({ node }) => `Two polls in a row did not reach the node: ${detailOf(node, 'reachable')}.`,
  },
  {
    name: 'not-ready',
    state: 'WARNING',
    when: 'the readiness probe answers something else than 200',
    spans: ({ node }) => when(isRefusedBy(node, 'ready')),
    reason: ({ node }) => `The node reports that it is not ready: /health/ready ${detailOf(node, 'ready')}.`,
  },
  {
    name: 'head-late',
    state: 'WARNING',
    when: 'half of the time for head-still has passed without a new block (`headLateShare`)',
    spans: ({ blocks }, t) => stillSpans(blocks, headLateLimit(blocks, t)),
    reason: ({ blocks }, t, at) =>
      `The next block is late: none after ${blocks.head ?? '?'} for ${duration(at - (blocks.headAdvancedAt ?? at))} ` +
      `(critical after ${duration(headStillLimit(blocks, t))}; ${usualText(blocks.headGaps, 'blocks', t)}).`,
    limit: ({ blocks }, t) => limitBy('headLateShare', headLateLimit(blocks, t)),
  },
  {
    name: 'catching-up',
    state: 'WARNING',
    when: 'the node says catching_up for 30 s (`catchingUpAfter`) while its head moves',
    spans: ({ node, blocks }, t) => {
      const { catchingUpSince } = node;
      const isMoving = (blocks.headAdvancedAt ?? 0) > (catchingUpSince ?? Infinity);
      return catchingUpSince !== null && isMoving
        ? [{ from: catchingUpSince + t.catchingUpAfterMs, proven: reachedTo(node) }]
        : [];
    },
    reason: ({ node }, _, at) =>
      `Catching up with the chain for ${duration(at - (node.catchingUpSince ?? at))}.`,
    limit: (_, t) => limitBy('catchingUpAfterMs', t.catchingUpAfterMs),
  },
  {
    name: 'blocks-not-seen',
    state: 'UNKNOWN',
    when: 'the node answers, but no poll of its blocks has succeeded for 3 min (6 × `notWatchedAfter`, at least 90 s), as earlier ones did',
    spans: ({ node, blocks }, t) =>
      blocks.lookedAt === null
        ? []
        : [{ from: blocksUnseenFrom(blocks.lookedAt, node, t), proven: reachedTo(node) }],
    reason: ({ blocks }, t) =>
      `Block production is unknown: the node answers, but its blocks could not be read for ${duration(blocksUnseenAfter(t))}. ` +
      `Last block seen: ${blocks.head ?? '?'}.`,
    limit: (_, t) => limitBy('notWatchedAfterMs', blocksUnseenAfter(t)),
  },
  {
    name: 'history-replaced',
    state: 'WARNING',
    when: 'the node shows other blocks than it or its chain showed before at the same heights, from block 1 on where the chain began again; for 1 h',
    spans: ({ blocks: { replaced } }) =>
      replaced === null ? [] : [{ from: replaced.at, until: replaced.at + REPLACED_FOR_MS }],
    reason: ({ blocks }) => replacedText(blocks),
    cause: ({ blocks }) => (blocks.lineage === null ? null : String(blocks.lineage)),
  },
  {
    name: 'blocks-missing',
    state: 'HEALTHY',
    when: 'none of the above, but the node does not give a block below others that it gave',
    spans: ({ blocks }) => when(blocks.skipped.length > 0),
    reason: ({ blocks }) =>
      `The node answers, but does not return ${rangesText(blocks.skipped)}. Hindsight records later blocks and asks again for ` +
      'the missing ones. Submissions that may have carried them stay undecided.',
  },
  {
    name: 'healthy',
    state: 'HEALTHY',
    when: 'none of the above',
    spans: () => when(true),
    reason: ({ blocks }) => (blocks.head === null ? 'Reachable.' : `Reachable since block ${blocks.head}.`),
  },
];

/** The span in which the head has stayed at its block for longer than allowed. */
function stillSpans({ headAdvancedAt, seenTo }: BlockFacts, limitMs: Millis): readonly RuleSpan[] {
  return headAdvancedAt === null ? [] : [{ from: headAdvancedAt + limitMs, proven: seenTo }];
}

const RANGES_IN_TEXT = 3;

/** `block 12`, `blocks 12, 15 to 20 and others`. */
function rangesText(ranges: BlockFacts['skipped']): string {
  const named = ranges
    .slice(0, RANGES_IN_TEXT)
    .map(([from, to]) => (from === to ? from : `${from} to ${to}`))
    .join(', ');
  const isOne = ranges.length === 1 && ranges[0]?.[0] === ranges[0]?.[1];
  return `block${isOne ? '' : 's'} ${named}${ranges.length > RANGES_IN_TEXT ? ' and others' : ''}`;
}

function blocksUnseenAfter({ notWatchedAfterMs }: HealthThresholds): Millis {
  return Math.max(BLOCKS_UNSEEN_FACTOR * notWatchedAfterMs, BLOCKS_UNSEEN_LEAST_MS);
}

/** Unmonitored time shows nothing about the node's blocks. */
function blocksUnseenFrom(lookedAt: Millis, { watchedFrom }: NodeFacts, t: HealthThresholds): Millis {
  return Math.max(lookedAt, watchedFrom ?? lookedAt) + blocksUnseenAfter(t);
}

function detailOf({ probes }: NodeFacts, name: ProbeName): string {
  const probe = probes[name];
  if (!probe) return 'no answer';
  const { statusCode, outcome, detail } = probe;
  if (statusCode === null) return detail || outcome.toLowerCase().replaceAll('_', ' ');
  const status = `answered ${statusCode}`;
  return detail.startsWith(status) ? detail : detail ? `${status}, ${detail}` : status;
}
