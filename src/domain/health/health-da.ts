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
  duration,
  isActive,
  limitBy,
  maybe,
  when,
  type HealthRule,
  type Limit,
  type RuleSpan,
  decidedBy,
  isUsualKnown,
  usualGap,
  usualText,
} from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import { INCLUSION_KNOWN_WHEN, isInclusionKnown } from './shown-finality.js';
import type { Millis } from '../time.js';

/** Rules of nodes that show no list of submissions. Only the inclusion of such nodes can be judged. */
export const RULES_WITHOUT_LIST: ReadonlySet<string> = new Set([
  'disabled',
  'not-aggregator',
  'not-supported',
]);
const FINALITY_JUDGED = `Finality is judged against the other nodes of the chain once ${INCLUSION_KNOWN_WHEN}.`;

/** The rules of the DA component. The first one that holds decides. */
export const DA_RULES: readonly HealthRule<DaInputs>[] = [
  {
    name: 'not-watched',
    state: 'UNKNOWN',
    when: 'no poll of the submissions list is on record for 30 s (`notWatchedAfter`)',
    spans: ({ da }) =>
      da.unwatchedFrom === null ? when(da.lookedAt === null) : [{ from: da.unwatchedFrom }],
    reason: ({ da }, t) =>
      da.lookedAt === null
        ? 'The submissions list has not been polled yet.'
        : `Not monitored: no poll of the submissions list is on record for more than ${duration(t.notWatchedAfterMs)}. ` +
          'Hindsight was stopped, or could not record.',
    limit: ({ da }, t) =>
      da.lookedAt === null ? undefined : limitBy('notWatchedAfterMs', t.notWatchedAfterMs),
  },
  unavailable('unreachable', 'UNREACHABLE', 'the node does not answer'),
  unavailable('invalid', 'INVALID', 'the submissions list cannot be read'),
  {
    name: 'failing',
    state: 'CRITICAL',
    when: '5 attempts or more failed in a row, and none succeeded for 3 × the usual gap (5 s to 60 s)',
    spans: (inputs, t) => maybe(failingSpan(inputs, t)).map((span) => ({ ...span, ...endedBy(inputs, t) })),
    reason: ({ da }, t, at) =>
      `${failingText(da, at)} (critical after ${duration(failingLimit(da, t))}; ` +
      `${usualText(da.successGaps, 'successes', t)}). Latest error: ${da.lastFailure ?? 'unknown'}.`,
    endReason: ({ da }, _, at) => `${failingText(da, at)}. ${tallyText(da.failures) ?? ''}`,
    cause: ({ da }) => da.failures.now,
    limit: ({ da }, t) => boundedLimit('failing', failingLimit(da, t), t),
  },
  {
    name: 'frozen',
    state: 'CRITICAL',
    when:
      'submissions succeed, but no further block is included for 3 × the usual gap (20 s to 10 min); for a node without ' +
      'a list: blocks arrive, and other nodes of its chain include further ones',
    spans: (inputs, t) =>
      inputs.da.frozenFrom !== null ? [{ from: inputs.da.frozenFrom }] : maybe(frozenSpan(inputs, t, 1)),
    reason: (inputs, t, at) =>
      `Finality is frozen: ${stuckText(inputs, at)} (critical after ${duration(frozenLimit(inputs.da, t))}; ` +
      `${usualText(inputs.da.advanceGaps, 'inclusions', t)}).`,
    limit: ({ da }, t) => boundedLimit('frozen', frozenLimit(da, t), t),
  },
  unavailable(
    'disabled',
    'DISABLED',
    'the node shows no DA monitoring, which is off, or the node syncs by P2P alone',
  ),
  unavailable('not-aggregator', 'NOT_AGGREGATOR', 'the node is not an aggregator and submits nothing'),
  unavailable('not-supported', 'NOT_SUPPORTED', 'this version of the node has no DA monitoring'),
  {
    name: 'silent',
    state: 'CRITICAL',
    when: 'blocks wait, and no attempt succeeds for 10 × the usual gap (15 s to 5 min)',
    spans: (inputs, t) => maybe(silentSpan(inputs, t)),
    reason: ({ da, blocks }, t, at) =>
      `No submission succeeded for ${age(waitingSince(da), at)}: blocks up to ${blocks.head ?? '?'} wait, and ` +
      `${da.failureRun === 0 ? 'no attempt failed either, so the submitter may hang' : attemptsFailed(da.failureRun)} ` +
      `(critical after ${duration(silentLimit(da, t))}; ${usualText(da.successGaps, 'successes', t)}).`,
    limit: ({ da }, t) => boundedLimit('silent', silentLimit(da, t), t),
  },
  {
    name: 'no-attempt',
    state: 'UNKNOWN',
    when: 'the list shows no attempt yet (since the node started)',
    spans: ({ da }) => when(da.attempts === 0),
    reason: ({ da }) =>
      da.recent.length > 0 ? 'No submission attempt since the node restarted.' : 'No submission attempt yet.',
  },
  {
    name: 'failures',
    state: 'WARNING',
    when: '2 or more of the latest 20 attempts failed',
    spans: ({ da }, t) => when(da.recent.filter(Boolean).length >= t.failuresCount),
    reason: ({ da }, t) =>
      `${da.recent.filter(Boolean).length} of the latest ${da.recent.length} attempts failed (warning at ${t.failuresCount}). ` +
      `Latest error: ${da.lastFailure ?? 'unknown'}.`,
    endReason: ({ da }) => `Some attempts failed. ${tallyText(da.failures) ?? ''}`,
    limit: (_, t) => limitBy('failuresCount', t.failuresCount),
  },
  {
    name: 'inclusion-late',
    state: 'WARNING',
    when: 'half of the time for frozen has passed; or the node restarted while frozen and nothing was included since',
    spans: (inputs, t) =>
      inputs.da.wasFrozenAtRestart ? when(true) : maybe(frozenSpan(inputs, t, t.inclusionLateShare)),
    reason: (inputs, t, at) =>
      inputs.da.wasFrozenAtRestart
        ? `The node restarted while finality was frozen: ${stuckText(inputs, at)}.`
        : `Finality is late: ${stuckText(inputs, at)} (critical after ${duration(frozenLimit(inputs.da, t))}).`,
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
      return `Submissions are slow: blocks waited ${duration(waitedMs)} for a success (warning after ${duration(limitMs)}).`;
    },
    limit: (inputs, t, at) => boundedLimit('slow', slowWait(inputs, t, at).limitMs, t),
  },
  {
    name: 'healthy',
    state: 'HEALTHY',
    when: 'none of the above',
    spans: () => when(true),
    reason: ({ da }, t) =>
      isUsualKnown(da.successGaps, t)
        ? `Submissions succeed, usually ${duration(usualGap(da.successGaps, t))} apart.`
        : 'Submissions succeed.',
  },
];

function unavailable(name: string, state: SourceState, text: string): HealthRule<DaInputs> {
  return {
    name,
    state: 'UNKNOWN',
    when:
      `${text}; from 5 s after the last good poll (\`unreachableAfter\`) until the next` +
      (state === 'UNREACHABLE' ? '; at once while the node itself is `unreachable`' : ''),
    spans: (inputs, t) =>
      inputs.da.failing?.state === state
        ? unavailableSpans(inputs, t)
        : when(state === 'NOT_AGGREGATOR' && inputs.da.aggregator === false && inputs.da.attempts === 0),
    reason: ({ da, blocks }) => {
      const because = da.failing?.detail ? ` ("${da.failing.detail}")` : '';
      const finality = RULES_WITHOUT_LIST.has(name) && !isInclusionKnown(blocks) ? ` ${FINALITY_JUDGED}` : '';
      return da.failing
        ? `DA status unknown: ${text}${because}.${finality}`
        : `DA status unknown: ${text}.${finality}`;
    },
    limit: ({ da }, t) =>
      da.failing && da.goodAt !== null ? limitBy('unreachableAfterMs', t.unreachableAfterMs) : undefined,
  };
}

/** The end of a span about failures: the moment from which the list cannot be read. */
function endedBy(inputs: DaInputs, t: HealthThresholds): Pick<RuleSpan, 'until'> {
  const spans = unavailableSpans(inputs, t);
  return spans.length === 0 ? {} : { until: Math.min(...spans.map(({ from }) => from)) };
}

/** A limit that is a multiple of the usual gap, between two bounds. */
function boundedLimit(
  name: 'failing' | 'frozen' | 'silent' | 'slow',
  limit: Millis,
  t: HealthThresholds,
): Limit {
  const bounds =
    name === 'slow' ? (['slowAfterMs'] as const) : ([`${name}AfterMs`, `${name}AtMostMs`] as const);
  return limitBy(decidedBy(limit, bounds, `${name}UsualFactor`, t), limit);
}

/** How long blocks have waited without a success, or waited before the last success; and how long they may wait. */
function slowWait(inputs: DaInputs, t: HealthThresholds, at: Millis): { waitedMs: Millis; limitMs: Millis } {
  const { da } = inputs;
  const span = slowSpan(inputs, t);
  if (da.slow && !(span && isActive(span, at))) return da.slow;
  return { waitedMs: at - (waitingSince(da) ?? at), limitMs: slowLimit(da, t) };
}

function stuckText({ da, blocks }: DaInputs, at: Millis): string {
  const since = da.frontierAt === null ? '' : ` for ${age(da.frontierAt, at)}`;
  const first = blocks.frontier.next ?? '?';
  if (isWithoutList(da) && da.othersSince > 0)
    return `no block became final at this node${since}, while other nodes of the chain reached block ${beforeText(blocks.othersNext)}; first waiting block: ${first}`;
  return `no block became final${since}, although ${da.successesSince} submissions succeeded; first waiting block: ${first}`;
}

function beforeText(next: string | null): string {
  return next === null ? '?' : String(BigInt(next) - 1n);
}

function failingText(da: DaInputs['da'], at: Millis): string {
  const since = age(da.lastSuccessAt ?? da.startedAt, at);
  return `No submission succeeded for ${since}: ${attemptsFailed(da.failureRun)} in a row`;
}

function attemptsFailed(count: number): string {
  return `${count} ${count === 1 ? 'attempt' : 'attempts'} failed`;
}

function age(since: Millis | null, at: Millis): string {
  return since === null ? 'as long as the node is monitored' : duration(at - since);
}
