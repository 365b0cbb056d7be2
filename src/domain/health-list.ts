import type { Millis, SubmissionEvents } from './events.js';
import { noteFailure, noteReset, noteSuccess, shiftUnseen } from './health-da-facts.js';
import type { HealthStep } from './health-fold.js';
import { findHole, later, oneLook, quietTo, type LookTimes } from './health-looks.js';
import { decodeSubmissionRow } from './submission-row.js';

/** How much of an attempt's message goes into a reason. */
const MESSAGE_LENGTH = 160;

/** Good looks at the list: what the silence before the last of them proves, and a hole before or among them. */
export function lookAtList(step: HealthStep, looks: LookTimes): void {
  const { failing, lookedAt, watchedTo } = step.state.da;
  const hole = findHole(looks, watchedTo, step.thresholds);
  if (failing) {
    if (hole) step.judgeDaHole(hole);
    else step.setDa(shiftUnseen(step.state.da, looks.first - (lookedAt ?? looks.first)));
    step.setDa({ failing: null });
  } else {
    const quiet = quietTo(looks, lookedAt);
    proveQuiet(step, hole ? Math.min(hole.from, quiet ?? hole.from) : quiet);
    if (hole) step.judgeDaHole(hole);
  }
  const { da } = step.state;
  step.setDa({
    startedAt: da.startedAt ?? looks.first,
    lookedAt: later(da.lookedAt, looks.last),
    watchedTo: later(da.watchedTo, looks.last),
  });
}

function proveQuiet(step: HealthStep, to: Millis | null): void {
  const { seenTo } = step.state.da;
  if (to === null || (seenTo !== null && to <= seenTo)) return;
  step.setDa({ seenTo: to });
  step.walkDa(seenTo ?? to, to);
}

/** New rows of the list. They are the last thing that their look has to say. */
export function applyRows(step: HealthStep, body: SubmissionEvents['SubmissionsObserved'], at: Millis): void {
  lookAtList(step, body.looks);
  for (const text of body.rows) {
    const { status, statusText, message } = decodeSubmissionRow(text);
    const said = [statusText ?? status, message?.slice(0, MESSAGE_LENGTH)].filter(Boolean).join(': ');
    const { state, thresholds } = step;
    step.setDa(
      status === 'SUCCESS' ? noteSuccess(state, at, thresholds) : noteFailure(state.da, said, at, thresholds),
    );
  }
  step.setDa({ seenTo: later(step.state.da.seenTo, at) });
  step.settleDa(at);
}

/** The ring was emptied. */
export function applyReset(step: HealthStep, looks: LookTimes, at: Millis): void {
  lookAtList(step, looks);
  step.setDa(noteReset(step.state.da));
  step.settleDa(at);
}

/** The list can be read again, or can no longer be. */
export function applySource(
  step: HealthStep,
  body: SubmissionEvents['SubmissionSourceChanged'],
  at: Millis,
): void {
  const { looks, state, detail } = body;
  if (state === 'AVAILABLE') {
    lookAtList(step, looks ?? oneLook(at));
    return step.settleDa(at);
  }
  const { failing } = step.state.da;
  if (failing) {
    watchFailingList(step, oneLook(at));
    step.setDa({ failing: { ...failing, state, detail } });
    return step.settleDa(at);
  }
  // Looks that end before the failed one were good; those that end with it were good but for the last.
  if (looks && looks.last < at) lookAtList(step, looks);
  const hole = findHole(oneLook(at), step.state.da.watchedTo, step.thresholds);
  const goodAt = looks?.last === at ? quietTo(looks, step.state.da.lookedAt) : step.state.da.lookedAt;
  proveQuiet(step, goodAt);
  if (hole) step.judgeDaHole(hole);
  step.setDa({
    failing: { since: at, goodAt, state, detail },
    lookedAt: goodAt,
    watchedTo: later(step.state.da.watchedTo, at),
  });
  step.settleDa(at);
}

/** While the list fails, any look at the node shows that somebody was watching, and that it fails still. */
export function watchFailingList(step: HealthStep, looks: LookTimes): void {
  const { watchedTo, failing } = step.state.da;
  if (!failing || watchedTo === null || looks.last <= watchedTo) return;
  const hole = findHole(looks, watchedTo, step.thresholds);
  if (hole) step.judgeDaHole(hole);
  step.setDa({ watchedTo: looks.last });
  step.walkDa(watchedTo, looks.last);
  step.settleDa(looks.last);
}
