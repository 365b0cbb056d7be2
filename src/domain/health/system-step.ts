import type { EventBodies, Polls } from '../events.js';
import type { Millis } from '../time.js';
import type { DaNodeFacts } from './da-node-facts.js';
import type { ExecutionFacts } from './execution-rules.js';
import { findPollGap, later, quietTo, type PollTimes } from './health-polls.js';
import type { HealthStep } from './health-step.js';
import { isOurFault, RARELY_POLLED_MS, type SystemFacts } from './system-facts.js';
import { SYSTEMS, type SystemComponent } from './systems.js';

interface FactsOf {
  readonly DA_NODE: DaNodeFacts;
  readonly EXECUTION: ExecutionFacts;
}

/** Applies polls of a system that found nothing new: each ended as the one before. */
export function applyQuietSystemPolls(step: HealthStep, component: SystemComponent, looks: PollTimes): void {
  applyPolls(step, component, looks, looks.last);
}

/** Applies an event of a system: the polls that it carries, then its own fact. */
export function applySystem<C extends SystemComponent>(
  step: HealthStep,
  component: C,
  { looks, at }: { readonly looks: Polls; readonly at: Millis },
  change: (facts: FactsOf[C]) => FactsOf[C],
): void {
  const member = SYSTEMS[component];
  applyPolls(step, component, looks, quietTo(looks, step.state[member].facts.polledAt));
  const facts = change(step.state[member].facts as FactsOf[C]);
  const { reachedAt, outcome } = facts;
  step.setSystem(component, { ...facts, reachedAt: outcome === 'OK' ? later(reachedAt, at) : reachedAt });
  // The state was reported up to the good poll before this one.
  step.settleSystem(component, at, undefined, reachedAt);
}

/** Notes that polls of a system end in another way from `at` on. */
export function noteOutcome<F extends SystemFacts>(
  facts: F,
  { outcome, detail }: Pick<EventBodies['DaNodeChanged'], 'outcome' | 'detail'>,
  at: Millis,
): F {
  const isGood = outcome === 'OK';
  const failedAt = isGood ? null : (facts.failedAt ?? at);
  const failedAgainAt = isGood || failedAt === at ? null : (facts.failedAgainAt ?? at);
  return { ...facts, outcome, detail, failedAt, failedAgainAt };
}

function applyPolls(
  step: HealthStep,
  component: SystemComponent,
  looks: PollTimes,
  quiet: Millis | null,
): void {
  const before = step.state[SYSTEMS[component]].facts;
  const found = findPollGap(looks, before.polledAt, step.thresholds);
  const isUsual = isOurFault(before) && found !== undefined && found.to - found.from <= RARELY_POLLED_MS;
  const gap = isUsual ? undefined : found;
  if (gap) {
    step.setSystem(component, { unwatchedFrom: gap.from + step.thresholds.notWatchedAfterMs });
    step.settleSystem(component, gap.to);
    step.setSystem(component, {
      unwatchedFrom: null,
      // A system that failed before the gap must fail twice again.
      ...(before.failedAt !== null && { failedAt: gap.to, failedAgainAt: null }),
    });
  }
  step.setSystem(component, { polledAt: later(before.polledAt, looks.last) });
  if (quiet !== null && (!gap || quiet >= gap.to)) proveQuiet(step, component, looks, quiet);
}

function proveQuiet(step: HealthStep, component: SystemComponent, looks: PollTimes, quiet: Millis): void {
  const { facts } = step.state[SYSTEMS[component]];
  if (facts.quietTo !== null && quiet <= facts.quietTo) return;
  const again = [looks.first, quiet].find((moment) => facts.failedAt !== null && moment > facts.failedAt);
  const isGood = facts.outcome === 'OK';
  step.setSystem(component, {
    quietTo: quiet,
    ...(facts.failedAgainAt === null && again !== undefined && again <= quiet && { failedAgainAt: again }),
  });
  step.walk(component, facts.quietTo ?? quiet, quiet, (at) => step.settleSystem(component, at, at));
  if (isGood) step.setSystem(component, { reachedAt: later(facts.reachedAt, quiet) });
  step.settleSystem(component, quiet);
}
