import type { SystemOutcome } from '../events.js';
import type { Millis } from '../time.js';
import type { IntervalBook } from './health-intervals.js';
import type { HealthLine } from './health-line.js';
import { duration, limitBy, when, type HealthRule, type RuleSpan } from './health-rule.js';

/** Facts from polls of a system behind the node, whichever system it is. Moments are on the axis of the fold. */
export interface SystemFacts {
  /** The last answer; null before the first poll. */
  readonly outcome: SystemOutcome | null;
  readonly detail: string;
  /** The first failed poll since the last good one, and the next failed one. */
  readonly failedAt: Millis | null;
  readonly failedAgainAt: Millis | null;
  /** The last good poll. */
  readonly reachedAt: Millis | null;
  /** The last poll on record, and up to when polls prove that nothing changed. */
  readonly polledAt: Millis | null;
  readonly quietTo: Millis | null;
  /** Set while a time without polls is judged. */
  readonly unwatchedFrom: Millis | null;
}

export const NO_SYSTEM_FACTS: SystemFacts = {
  outcome: null,
  detail: '',
  failedAt: null,
  failedAgainAt: null,
  reachedAt: null,
  polledAt: null,
  quietTo: null,
  unwatchedFrom: null,
};

/** A system with its line of intervals, which begins with the first poll of it. */
export interface System<F extends SystemFacts> {
  readonly facts: F;
  readonly line: HealthLine | null;
  readonly book: IntervalBook;
}

/** With a refused token or key a system is polled rarely, and the log has these polls a minute later. */
export const RARELY_POLLED_MS: Millis = 300_000;

/** Whether the settings of Hindsight, not the system, are at fault: its token or key is refused. */
export function isOurFault({ outcome }: SystemFacts): boolean {
  return outcome === 'REFUSED' || outcome === 'NOT_PERMITTED';
}

/** When a system counts as unreachable: from the first of two failed polls on. */
function unreachableSpans(facts: SystemFacts): readonly RuleSpan[] {
  if (facts.failedAt === null || facts.failedAgainAt === null || isOurFault(facts)) return [];
  return [{ from: facts.failedAt }];
}

/** A system in the words of its rules. */
interface SystemNames {
  readonly what: string;
  /** The rule of a system that does not answer. */
  readonly name: string;
  /** The rule of a system that refuses Hindsight, which is a fault of monitoring. */
  readonly refused: { readonly name: string; readonly when: string };
}

/** The first rules of every system: whether it is polled, and whether it answers. */
export function rulesOfReach<F>(
  { what, name, refused }: SystemNames,
  read: (inputs: F) => SystemFacts,
): readonly HealthRule<F>[] {
  return [
    {
      name: 'not-watched',
      state: 'UNKNOWN',
      when: `no poll of the ${what} is on record for 30 s (\`notWatchedAfter\`)`,
      spans: (inputs) => {
        const { outcome, unwatchedFrom } = read(inputs);
        return unwatchedFrom === null ? when(outcome === null) : [{ from: unwatchedFrom }];
      },
      reason: (inputs, t) =>
        read(inputs).unwatchedFrom === null
          ? `The ${what} has not been polled yet.`
          : `Not monitored: no poll of the ${what} is on record for more than ${duration(t.notWatchedAfterMs)}.`,
      limit: (inputs, t) =>
        read(inputs).unwatchedFrom === null ? undefined : limitBy('notWatchedAfterMs', t.notWatchedAfterMs),
    },
    {
      name: refused.name,
      state: 'WARNING',
      when: refused.when,
      spans: (inputs) => when(isOurFault(read(inputs))),
      reason: (inputs) => `The ${what} refuses Hindsight: ${read(inputs).detail}.`,
    },
    {
      name,
      state: 'CRITICAL',
      when: `two polls in a row got no usable answer from the ${what}`,
      spans: (inputs) => unreachableSpans(read(inputs)),
      reason: (inputs, _, at) => {
        const { reachedAt, detail } = read(inputs);
        return reachedAt === null
          ? `The ${what} has never answered: ${detail}.`
          : `The ${what} has not answered for ${duration(at - reachedAt)}: ${detail}.`;
      },
    },
    {
      name: 'not-reached',
      state: 'UNKNOWN',
      when: `the first poll of the ${what} got no usable answer`,
      spans: (inputs) => {
        const facts = read(inputs);
        return when(facts.reachedAt === null && !isOurFault(facts));
      },
      reason: (inputs) => `No poll has reached the ${what} yet: ${read(inputs).detail}.`,
    },
  ];
}
