import type { SourceState } from '../events.js';
import {
  failingLimit,
  failingSpan,
  frozenLimit,
  frozenSpan,
  silentLimit,
  silentSpan,
  slowLimit,
  slowSpan,
  unreachableSpan,
  type DaInputs,
} from './health-da-limits.js';
import { ALWAYS, duration, type HealthRule, type Span } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import { usualGap } from './usual.js';
import type { Millis } from '../time.js';

const NOW: readonly Span[] = [{ from: ALWAYS }];

const when = (condition: boolean): readonly Span[] => (condition ? NOW : []);
const maybe = (...spans: (Span | undefined)[]): readonly Span[] => spans.filter((span) => span !== undefined);

/** The rules of the DA component. The first one that holds decides. */
export const DA_RULES: readonly HealthRule<DaInputs>[] = [
  {
    name: 'not-watched',
    state: 'UNKNOWN',
    when: 'nobody looked at the submissions list for 30 s (notWatchedAfterMs)',
    spans: ({ da }) =>
      da.unwatchedFrom === null ? when(da.lookedAt === null) : [{ from: da.unwatchedFrom }],
    reason: ({ da }, t) =>
      da.lookedAt === null
        ? 'Hindsight has not looked at the submissions list yet.'
        : `Hindsight itself did not look at the submissions list for more than ${duration(t.notWatchedAfterMs)} (notWatchedAfterMs). What happened in that time is not known.`,
  },
  unavailable('unreachable', 'UNREACHABLE', 'The node did not answer'),
  unavailable('disabled', 'DISABLED', 'DA monitoring is switched off on the node'),
  unavailable('not-aggregator', 'NOT_AGGREGATOR', 'The node is not an aggregator: it submits nothing'),
  unavailable('not-supported', 'NOT_SUPPORTED', 'This version of the node has no DA monitoring'),
  unavailable('invalid', 'INVALID', 'The submissions list could not be read'),
  {
    name: 'failing',
    state: 'CRITICAL',
    when: '5 attempts or more failed in a row, and none succeeded for 3 × the usual gap (5 s to 60 s)',
    spans: (inputs, t) => maybe(failingSpan(inputs, t)),
    reason: ({ da }, t, at) =>
      `${da.failureRun} attempts in a row failed and none succeeded for ${age(da.lastSuccessAt ?? da.startedAt, at)} ` +
      `(limit ${duration(failingLimit(da, t))}: ${t.failingUsualFactor} × the usual ${usualText(da.successGaps, t)} between successes, ` +
      `failingAfterMs ${t.failingAfterMs} to failingAtMostMs ${t.failingAtMostMs}; failingCount ${t.failingCount}). The latest: ${da.lastFailure ?? 'unknown'}.`,
  },
  {
    name: 'frozen',
    state: 'CRITICAL',
    when: 'submissions succeed, but no further block is shown as included for 3 × the usual gap (20 s to 10 min)',
    spans: (inputs, t) =>
      inputs.da.frozenFrom !== null ? [{ from: inputs.da.frozenFrom }] : maybe(frozenSpan(inputs, t, 1)),
    reason: (inputs, t, at) =>
      `Inclusion is frozen: ${stuckText(inputs, at)} (limit ${duration(frozenLimit(inputs.da, t))}: ${t.frozenUsualFactor} × the usual ` +
      `${usualText(inputs.da.advanceGaps, t)} between advances, frozenAfterMs ${t.frozenAfterMs} to frozenAtMostMs ${t.frozenAtMostMs}). ` +
      'The DA layer takes the data, but the node does not see its blocks as final.',
  },
  {
    name: 'silent',
    state: 'CRITICAL',
    when: 'blocks wait, and no attempt succeeds for 10 × the usual gap (15 s to 5 min)',
    spans: (inputs, t) => maybe(silentSpan(inputs, t)),
    reason: ({ da, blocks }, t, at) =>
      `Blocks up to ${blocks.head ?? '?'} wait for the DA layer and no attempt succeeded for ${age(da.lastSuccessAt ?? da.startedAt, at)}, ` +
      `${da.failureRun === 0 ? 'and none failed either: submissions may be hanging' : `${da.failureRun} failed`} ` +
      `(limit ${duration(silentLimit(da, t))}: ${t.silentUsualFactor} × the usual ${usualText(da.successGaps, t)} between successes, ` +
      `silentAfterMs ${t.silentAfterMs} to silentAtMostMs ${t.silentAtMostMs}).`,
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
      `${da.recent.filter(Boolean).length} of the latest ${da.recent.length} attempts failed ` +
      `(failuresCount ${t.failuresCount} of failuresOf ${t.failuresOf}). The latest failure: ${da.lastFailure ?? 'unknown'}.`,
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
        : `Inclusion is late: ${stuckText(inputs, at)} (frozen after ${duration(frozenLimit(inputs.da, t))}, late after ${t.inclusionLateShare} of that: inclusionLateShare).`,
  },
  {
    name: 'slow',
    state: 'WARNING',
    when: 'a gap between successes of 2 × the usual one (at least 3 s) while blocks wait; held for 6 s',
    spans: (inputs, t) => maybe(slowSpan(inputs, t), inputs.da.slow ?? undefined),
    reason: ({ da }, t) =>
      `Submissions are slow: ${duration(slowLimit(da, t))} or more between two successes, where ${usualText(da.successGaps, t)} are usual ` +
      `(${t.slowUsualFactor} × usual, at least slowAfterMs ${t.slowAfterMs}; held for slowHoldMs ${t.slowHoldMs}).`,
  },
  {
    name: 'healthy',
    state: 'HEALTHY',
    when: 'none of the above',
    spans: () => NOW,
    reason: ({ da }, t) =>
      `Submissions succeed, ${usualText(da.successGaps, t)} or less between most of them.`,
  },
];

function unavailable(name: string, state: SourceState, text: string): HealthRule<DaInputs> {
  return {
    name,
    state: 'UNKNOWN',
    when: `${text}; from 5 s after the last good look (unreachableAfterMs) until the next`,
    spans: (inputs, t) =>
      inputs.da.failing?.state === state
        ? maybe(unreachableSpan(inputs, t))
        : when(state === 'NOT_AGGREGATOR' && inputs.da.aggregator === false && inputs.da.attempts === 0),
    reason: ({ da }) =>
      da.failing
        ? `${text}${da.failing.detail ? ` ("${da.failing.detail}")` : ''}, so its submissions cannot be judged.`
        : `${text}.`,
  };
}

function stuckText({ da, blocks }: DaInputs, at: Millis): string {
  const since = da.frontierAt === null ? '' : ` for ${age(da.frontierAt, at)}`;
  return `no block was shown as included${since}, ${da.successesSince} submissions succeeded since, and block ${blocks.frontier.next ?? '?'} is the first that waits`;
}

function age(since: Millis | null, at: Millis): string {
  return since === null ? 'as long as it is watched' : duration(at - since);
}

function usualText(gaps: readonly number[], t: HealthThresholds): string {
  const usual = duration(usualGap(gaps, t));
  return gaps.length < t.usualKnownFrom
    ? `${usual} (assumed, as only ${gaps.length} of the ${t.usualKnownFrom} gaps needed are known)`
    : usual;
}
