import type { SubmissionEvents } from '../events.js';
import { WITHOUT_LIST } from './health-da-limits.js';
import { leaveOutOfAges, noteFailure, noteReset, noteSuccess } from './health-da-facts.js';
import type { HealthStep } from './health-step.js';
import { findPollGap, later, onePoll, quietTo, type PollTimes } from './health-polls.js';
import { findCause } from '../submissions/failure-cause.js';
import { decodeSubmissionRow } from '../submissions/submission-row.js';
import { nanosToMillis, type Millis } from '../time.js';

/** Characters of an attempt's message that a reason shows. */
const MESSAGE_LENGTH = 160;

/** Applies good polls of the list: what the silence before the last one proves, and a gap before or among them. */
export function applyListPolls(step: HealthStep, looks: PollTimes): void {
  const { failing, lookedAt, goodAt } = step.state.da;
  const gap = findPollGap(looks, lookedAt, step.thresholds);
  if (!failing) {
    const quiet = quietTo(looks, lookedAt);
    proveQuiet(step, gap ? Math.min(gap.from, quiet ?? gap.from) : quiet);
  }
  if (gap) step.judgeDaGap(gap);
  if (failing) {
    // Polls since the last good one failed; the first good one after them is the last of these polls.
    const unseen = { from: goodAt ?? looks.last, to: looks.last };
    step.setDa({ ...leaveOutOfAges(step.state.da, unseen), failing: null });
  }
  notePolls(step, looks.last);
  step.see(looks);
  const { da } = step.state;
  step.setDa({ startedAt: da.startedAt ?? looks.first, goodAt: later(da.goodAt, looks.last) });
}

function notePolls(step: HealthStep, last: Millis): void {
  const { lookedAt, watchedTo } = step.state.da;
  step.setDa({ lookedAt: later(lookedAt, last), watchedTo: later(watchedTo, last) });
}

function proveQuiet(step: HealthStep, to: Millis | null): void {
  const { seenTo } = step.state.da;
  if (to === null || (seenTo !== null && to <= seenTo)) return;
  step.setDa({ seenTo: to });
  step.walkDa(seenTo ?? to, to);
}

/** Applies new rows of the list. No other event of the same poll follows them. */
export function applyRows(step: HealthStep, body: SubmissionEvents['SubmissionsObserved'], at: Millis): void {
  applyListPolls(step, body.looks);
  let hasSucceeded = false;
  for (const text of body.rows) {
    const { status, statusText, message, occurredAt, daHeight } = decodeSubmissionRow(text);
    const said = [
      status === 'ERROR' && message ? '' : (statusText ?? status),
      message?.slice(0, MESSAGE_LENGTH),
    ]
      .filter(Boolean)
      .join(': ');
    const { state, thresholds } = step;
    const cause = findCause(status, message);
    step.setDa(
      cause === null
        ? noteSuccess(state, at, occurredAt && nanosToMillis(occurredAt), thresholds)
        : noteFailure(state.da, { text: said, code: cause.code }, at, thresholds),
    );
    if (cause === null && daHeight !== null) noteLanded(step, daHeight, at);
    // Attempts that failed in the same poll before a success belong to the trouble that the success ends.
    hasSucceeded ||= cause === null;
    if (!hasSucceeded) step.hold('DA');
  }
  step.setDa({ seenTo: later(step.state.da.seenTo, at) });
  step.settleDa(at);
}

/** A success above the head of the DA node is kept: if later polls find the same head, the DA node is cut off. */
function noteLanded(step: HealthStep, daHeight: bigint, at: Millis): void {
  const { da, daNode } = step.state;
  const { head } = daNode.facts;
  const isAbove = da.landed && head && BigInt(da.landed.daHeight) > BigInt(head.height);
  if (!isAbove) step.setDa({ landed: { daHeight: String(daHeight), at } });
}

export function applyReset(step: HealthStep, looks: PollTimes, at: Millis): void {
  applyListPolls(step, looks);
  step.setDa(noteReset(step.state.da, step.thresholds));
  step.settleDa(at);
}

/** Applies that the list can be read again, or no longer. */
export function applySource(
  step: HealthStep,
  body: SubmissionEvents['SubmissionSourceChanged'],
  at: Millis,
): void {
  const { looks, state, detail } = body;
  if (state === 'AVAILABLE') {
    applyListPolls(step, looks ?? onePoll(at));
    return step.settleDa(at);
  }
  if (state !== 'UNREACHABLE') step.see(onePoll(at));
  const { failing, lookedAt } = step.state.da;
  if (failing) {
    applyFailingListPoll(step, looks ?? onePoll(at));
    // A changed state begins now.
    const since = state === failing.state ? failing.since : at;
    step.setDa({ failing: { since, state, detail } });
    return step.settleDa(at);
  }
  // Polls that end before the failed one were all good; if they include the failed one, all but the last were good.
  const made = looks ?? onePoll(at);
  const gap = findPollGap(made, lookedAt, step.thresholds);
  const goodTo = made.last < at ? made.last : quietTo(made, lookedAt);
  const goodAt = gap && lookedAt !== null ? Math.min(goodTo ?? lookedAt, gap.from) : goodTo;
  proveQuiet(step, goodAt);
  if (gap) step.judgeDaGap(gap);
  if (goodAt !== null) step.setDa({ goodAt: later(step.state.da.goodAt, goodAt) });
  step.setDa({ failing: { since: at, state, detail } });
  notePolls(step, at);
  step.settleDa(at);
}

/** Applies polls of a list that failed before. The list still fails, or an event would say so. */
export function applyFailingListPoll(step: HealthStep, looks: PollTimes): void {
  const gap = findPollGap(looks, step.state.da.lookedAt, step.thresholds);
  const { failing } = step.state.da;
  if (gap) step.judgeDaGap(gap, !failing || !WITHOUT_LIST.has(failing.state));
  step.setDa({ lookedAt: later(step.state.da.lookedAt, looks.last) });
  if (failing?.state !== 'UNREACHABLE') step.see(looks);
  watchFailingList(step, looks.last);
}

/** While the list fails, any poll of the node shows that it still fails. */
export function watchFailingList(step: HealthStep, to: Millis): void {
  const { watchedTo, failing } = step.state.da;
  if (!failing || (watchedTo !== null && to <= watchedTo)) return;
  step.setDa({ watchedTo: to });
  step.walkDa(watchedTo ?? to, to);
  step.settleDa(to);
}

/** Judges a failing list again, by the facts of its node. */
export function judgeFailingList(step: HealthStep, at: Millis): void {
  if (step.state.da.failing) step.settleDa(at);
}
