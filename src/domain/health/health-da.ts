import type { SourceState } from '../events.js';
import { tallyText } from './failure-tally.js';
import {
  failingLimit,
  failingSpan,
  frozenLimit,
  frozenSpan,
  isWithoutList,
  silentLimit,
  silentSpan,
  slowLimit,
  slowSpan,
  unavailableSpans,
  waitingSince,
  type DaInputs,
} from './health-da-limits.js';
import {
  ALWAYS,
  duration,
  isActive,
  limitBy,
  type HealthRule,
  type Limit,
  type Span,
  decidedBy,
  isUsualKnown,
  usualGap,
  usualText,
} from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import { INCLUSION_KNOWN_WHEN } from './shown-finality.js';
import type { Millis } from '../time.js';

const NOW: readonly Span[] = [{ from: ALWAYS }];

/** Rules of nodes that show no list of submissions. Only their inclusion can be judged. */
export const RULES_WITHOUT_LIST: ReadonlySet<string> = new Set([
  'disabled',
  'not-aggregator',
  'not-supported',
]);
const FINALITY_JUDGED = `Its finality is held against the other nodes of its chain once ${INCLUSION_KNOWN_WHEN}.`;

const when = (condition: boolean): readonly Span[] => (condition ? NOW : []);
const maybe = (...spans: (Span | undefined)[]): readonly Span[] => spans.filter((span) => span !== undefined);

/** The rules of the DA component. The first one that holds decides. */
export const DA_RULES: readonly HealthRule<DaInputs>[] = [
  {
    name: 'not-watched',
    state: 'UNKNOWN',
    when: 'no look at the submissions list is on record for 30 s (`notWatchedAfter`)',
    spans: ({ da }) =>
      da.unwatchedFrom === null ? when(da.lookedAt === null) : [{ from: da.unwatchedFrom }],
    reason: ({ da }, t) =>
      da.lookedAt === null
        ? 'Hindsight has not looked at the submissions list yet.'
        : `No look at the submissions list is on record for more than ${duration(t.notWatchedAfterMs)}: Hindsight did not look, or ` +
          'was stopped before it had written down that it did. What happened in that time is not known.',
    limit: ({ da }, t) =>
      da.lookedAt === null ? undefined : limitBy('notWatchedAfterMs', t.notWatchedAfterMs),
  },
  unavailable('unreachable', 'UNREACHABLE', 'The node did not answer'),
  unavailable('invalid', 'INVALID', 'The submissions list could not be read'),
  {
    name: 'failing',
    state: 'CRITICAL',
    when: '5 attempts or more failed in a row, and none succeeded for 3 × the usual gap (5 s to 60 s)',
    spans: (inputs, t) => maybe(failingSpan(inputs, t)).map((span) => ({ ...span, ...endedBy(inputs, t) })),
    reason: ({ da }, t, at) =>
      `${da.failureRun} attempts in a row failed, and none succeeded for ${age(da.lastSuccessAt ?? da.startedAt, at)} ` +
      `(critical after ${duration(failingLimit(da, t))}; ${usualText(da.successGaps, 'successes', t)}). ` +
      `The latest: ${da.lastFailure ?? 'unknown'}.`,
    endReason: ({ da }, _, at) =>
      `${da.failureRun} attempts in a row failed, and none succeeded for ${age(da.lastSuccessAt ?? da.startedAt, at)}. ` +
      (tallyText(da.failures) ?? ''),
    cause: ({ da }) => da.failures.now,
    limit: ({ da }, t) => boundedLimit('failing', failingLimit(da, t), t),
  },
  {
    name: 'frozen',
    state: 'CRITICAL',
    when:
      'submissions succeed, but no further block is shown as included for 3 × the usual gap (20 s to 10 min); of a node without ' +
      'a list: blocks arrive, and other nodes of its chain show further ones as included',
    spans: (inputs, t) =>
      inputs.da.frozenFrom !== null ? [{ from: inputs.da.frozenFrom }] : maybe(frozenSpan(inputs, t, 1)),
    reason: (inputs, t, at) =>
      `Inclusion is frozen: ${stuckText(inputs, at)} (critical after ${duration(frozenLimit(inputs.da, t))}; ` +
      `${usualText(inputs.da.advanceGaps, 'advances', t)}). ` +
      'The DA layer takes the data, but the node does not see its blocks as final.',
    limit: ({ da }, t) => boundedLimit('frozen', frozenLimit(da, t), t),
  },
  unavailable(
    'disabled',
    'DISABLED',
    'The node shows no DA monitoring: it is switched off, or the node syncs by P2P alone',
  ),
  unavailable('not-aggregator', 'NOT_AGGREGATOR', 'The node is not an aggregator: it submits nothing'),
  unavailable('not-supported', 'NOT_SUPPORTED', 'This version of the node has no DA monitoring'),
  {
    name: 'silent',
    state: 'CRITICAL',
    when: 'blocks wait, and no attempt succeeds for 10 × the usual gap (15 s to 5 min)',
    spans: (inputs, t) => maybe(silentSpan(inputs, t)),
    reason: ({ da, blocks }, t, at) =>
      `Blocks up to ${blocks.head ?? '?'} wait for the DA layer and no attempt succeeded for ${age(waitingSince(da), at)}, ` +
      `${da.failureRun === 0 ? 'and none failed either: submissions may be hanging' : `${da.failureRun} failed`} ` +
      `(critical after ${duration(silentLimit(da, t))}; ${usualText(da.successGaps, 'successes', t)}).`,
    limit: ({ da }, t) => boundedLimit('silent', silentLimit(da, t), t),
  },
  {
    name: 'no-attempt',
    state: 'UNKNOWN',
    when: 'the list shows no attempt yet (since the node started)',
    spans: ({ da }) => when(da.attempts === 0),
    reason: ({ da }) =>
      da.recent.length > 0
        ? 'The node has restarted and has not tried to submit anything since.'
        : 'The node has not tried to submit anything yet.',
  },
  {
    name: 'failures',
    state: 'WARNING',
    when: '2 or more of the latest 20 attempts failed',
    spans: ({ da }, t) => when(da.recent.filter(Boolean).length >= t.failuresCount),
    reason: ({ da }, t) =>
      `${da.recent.filter(Boolean).length} of the latest ${da.recent.length} attempts failed (a warning from ${t.failuresCount} on). ` +
      `The latest failure: ${da.lastFailure ?? 'unknown'}.`,
    endReason: ({ da }) => `Some attempts failed. ${tallyText(da.failures) ?? ''}`,
    limit: (_, t) => limitBy('failuresCount', t.failuresCount),
  },
  {
    name: 'inclusion-late',
    state: 'WARNING',
    when: 'half of the time for frozen has passed; or the node restarted while frozen and nothing was included since',
    spans: (inputs, t) =>
      inputs.da.wasFrozenAtRestart ? NOW : maybe(frozenSpan(inputs, t, t.inclusionLateShare)),
    reason: (inputs, t, at) =>
      inputs.da.wasFrozenAtRestart
        ? `The node restarted while inclusion was frozen, and ${stuckText(inputs, at)}.`
        : `Inclusion is late: ${stuckText(inputs, at)} (frozen from ${duration(frozenLimit(inputs.da, t))} on).`,
    limit: ({ da }, t) =>
      da.wasFrozenAtRestart
        ? undefined
        : limitBy('inclusionLateShare', t.inclusionLateShare * frozenLimit(da, t)),
  },
  {
    name: 'slow',
    state: 'WARNING',
    when: 'blocks wait for a success for 2 × the usual gap between two (at least 3 s); held for 6 s, or for twice as long as they waited',
    spans: (inputs, t) => maybe(slowSpan(inputs, t), inputs.da.slow ?? undefined),
    reason: (inputs, t, at) => {
      const { waitedMs, limitMs } = slowWait(inputs, t, at);
      return `Submissions are slow: blocks waited ${duration(waitedMs)} without a success (a warning from ${duration(limitMs)} on).`;
    },
    limit: (inputs, t, at) => boundedLimit('slow', slowWait(inputs, t, at).limitMs, t),
  },
  {
    name: 'healthy',
    state: 'HEALTHY',
    when: 'none of the above',
    spans: () => NOW,
    reason: ({ da }, t) =>
      isUsualKnown(da.successGaps, t)
        ? `Submissions succeed, most of them within ${duration(usualGap(da.successGaps, t))} of the one before.`
        : 'Submissions succeed.',
  },
];

function unavailable(name: string, state: SourceState, text: string): HealthRule<DaInputs> {
  return {
    name,
    state: 'UNKNOWN',
    when:
      `${text}; from 5 s after the last good look (\`unreachableAfter\`) until the next` +
      (state === 'UNREACHABLE' ? '; at once while the node itself is `unreachable`' : ''),
    spans: (inputs, t) =>
      inputs.da.failing?.state === state
        ? unavailableSpans(inputs, t)
        : when(state === 'NOT_AGGREGATOR' && inputs.da.aggregator === false && inputs.da.attempts === 0),
    reason: ({ da }) => {
      const because = da.failing?.detail ? ` ("${da.failing.detail}")` : '';
      const finality = RULES_WITHOUT_LIST.has(name) ? ` ${FINALITY_JUDGED}` : '';
      return da.failing
        ? `${text}${because}, so its submissions cannot be judged.${finality}`
        : `${text}.${finality}`;
    },
    limit: ({ da }, t) =>
      da.failing && da.goodAt !== null ? limitBy('unreachableAfterMs', t.unreachableAfterMs) : undefined,
  };
}

/** Since when a list that cannot be read says nothing of failures. */
function endedBy(inputs: DaInputs, t: HealthThresholds): Pick<Span, 'until'> {
  const spans = unavailableSpans(inputs, t);
  return spans.length === 0 ? {} : { until: Math.min(...spans.map(({ from }) => from)) };
}

/** A limit that is a multiple of what is usual, between two bounds. */
function boundedLimit(
  name: 'failing' | 'frozen' | 'silent' | 'slow',
  limit: Millis,
  t: HealthThresholds,
): Limit {
  const bounds =
    name === 'slow' ? (['slowAfterMs'] as const) : ([`${name}AfterMs`, `${name}AtMostMs`] as const);
  return limitBy(decidedBy(limit, bounds, `${name}UsualFactor`, t), limit);
}

/** How long blocks have waited without a success, or did before the last one; and how long they may. */
function slowWait(inputs: DaInputs, t: HealthThresholds, at: Millis): { waitedMs: Millis; limitMs: Millis } {
  const { da } = inputs;
  const span = slowSpan(inputs, t);
  if (da.slow && !(span && isActive(span, at))) return da.slow;
  return { waitedMs: at - (waitingSince(da) ?? at), limitMs: slowLimit(da, t) };
}

function stuckText({ da, blocks }: DaInputs, at: Millis): string {
  const since = da.frontierAt === null ? '' : ` for ${age(da.frontierAt, at)}`;
  if (isWithoutList(da) && da.othersSince > 0)
    return `the node has shown no block as included${since}, while other nodes of the chain show blocks up to ${beforeText(blocks.othersNext)}; block ${blocks.frontier.next ?? '?'} is the first that waits`;
  return `no block was shown as included${since}, ${da.successesSince} submissions succeeded since, and block ${blocks.frontier.next ?? '?'} is the first that waits`;
}

function beforeText(next: string | null): string {
  return next === null ? '?' : String(BigInt(next) - 1n);
}

function age(since: Millis | null, at: Millis): string {
  return since === null ? 'as long as it is watched' : duration(at - since);
}
