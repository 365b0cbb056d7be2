import type { ExecutionEvents } from '../events.js';
import { readInteger } from '../bounds.js';
import type { Millis } from '../time.js';
import { duration, when, type HealthRule, type RuleSpan } from './health-rule.js';
import { NO_SYSTEM_FACTS, rulesOfReach, type System, type SystemFacts } from './system-facts.js';

type Head = Omit<ExecutionEvents['ExecutionHeadObserved'], 'looks'>;

/** The execution layer, compared with its rollup node. `incomparable`: their roots never agreed, as with other executors. */
type Standing = 'in step' | 'behind' | 'ahead' | 'differs' | 'incomparable' | 'unknown';

/** Facts about the execution layer of the rollup node. */
export interface ExecutionFacts extends SystemFacts {
  /** The last observation of its head; null before the first. */
  readonly latest: Head | null;
  readonly standing: Standing;
  /** When this standing was first observed, and whether a later observation confirmed it. */
  readonly standsSince: Millis | null;
  readonly isConfirmed: boolean;
  /** Whether both had the same state at some height. */
  readonly hasAgreed: boolean;
  /** Blocks behind the rollup at the observation before the last, for the rate; null: not known. */
  readonly lagBefore: { readonly blocks: number; readonly at: Millis } | null;
  readonly lag: { readonly blocks: number; readonly at: Millis } | null;
}

export const NO_EXECUTION_FACTS: ExecutionFacts = {
  ...NO_SYSTEM_FACTS,
  latest: null,
  standing: 'unknown',
  standsSince: null,
  isConfirmed: false,
  hasAgreed: false,
  lagBefore: null,
  lag: null,
};

const MOST_BEHIND = 2;
/** The rollup node stores a block just after it was executed, and is asked first. */
const MOST_AHEAD = 3;

/** Notes an observation of the head. A rollup node that is gone keeps the height that it had last. */
export function noteExecutionHead(facts: ExecutionFacts, observed: Head, at: Millis): ExecutionFacts {
  const rollupHeight = observed.rollupHeight ?? facts.latest?.rollupHeight ?? null;
  // A poll that compares nothing proves nothing against a difference.
  const shown = observed.compared === null && facts.standing === 'differs' ? facts.latest : null;
  const { compared, firstDifference } = shown ?? observed;
  const latest = { ...observed, rollupHeight, compared, firstDifference };
  const rollup = rollupHeight === null ? null : readInteger(rollupHeight);
  const own = readInteger(latest.height);
  const lag = rollup === null || own === null ? null : Number(rollup - own);
  // A node that is gone may have more blocks by now: only a lag is certain.
  const isKnown = lag !== null && (observed.rollupHeight !== null || lag > MOST_BEHIND);
  const blocks = isKnown ? lag : null;
  const isSame = latest.compared === null ? null : latest.compared.stateRoot === latest.compared.appHash;
  const hasAgreed = facts.hasAgreed || isSame === true;
  const standing = standingOf(blocks, isSame, hasAgreed);
  const isAsBefore = standing === facts.standing;
  return {
    ...facts,
    latest,
    hasAgreed,
    standing,
    standsSince: isAsBefore ? facts.standsSince : at,
    isConfirmed: isAsBefore && facts.standsSince !== null,
    lagBefore: facts.lag,
    lag: blocks === null ? null : { blocks, at },
  };
}

function standingOf(blocks: number | null, isSame: boolean | null, hasAgreed: boolean): Standing {
  if (isSame === false) return hasAgreed ? 'differs' : 'incomparable';
  if (blocks === null) return 'unknown';
  if (blocks > MOST_BEHIND) return 'behind';
  if (blocks < -MOST_AHEAD) return 'ahead';
  return isSame === null ? 'unknown' : 'in step';
}

interface ExecutionInputs {
  readonly execution: System<ExecutionFacts>;
}

const factsOf = ({ execution }: ExecutionInputs): ExecutionFacts => execution.facts;

/** A verdict needs two observations, or polls that found nothing else since the first. */
function spansOf(standing: Standing): (inputs: ExecutionInputs) => readonly RuleSpan[] {
  return (inputs) => {
    const { standing: now, standsSince, isConfirmed, quietTo, outcome } = factsOf(inputs);
    if (now !== standing || standsSince === null || outcome !== 'OK') return [];
    const isProven = isConfirmed || (quietTo !== null && quietTo > standsSince);
    return isProven ? [{ from: standsSince }] : [{ from: standsSince + 1, proven: quietTo }];
  };
}

function placeOf({ latest }: ExecutionFacts): string {
  return `it is at ${latest?.height ?? 'an unknown height'}, the rollup node at ${latest?.rollupHeight ?? 'an unknown height'}`;
}

/** The time until the execution layer has caught up, at its last rate; undefined while it does not catch up. */
function leftMs({ lag, lagBefore }: ExecutionFacts): Millis | undefined {
  if (lag === null || lagBefore === null || lag.at <= lagBefore.at || lag.blocks >= lagBefore.blocks)
    return undefined;
  return (lag.blocks * (lag.at - lagBefore.at)) / (lagBefore.blocks - lag.blocks);
}

/** The rules of the EXECUTION component. The first one that holds decides. */
export const EXECUTION_RULES: readonly HealthRule<ExecutionInputs>[] = [
  ...rulesOfReach(
    {
      what: 'execution layer',
      name: 'execution-unreachable',
      refused: {
        name: 'execution-refused',
        when: 'the execution layer refuses Hindsight: a wrong key, or a host name that it does not serve',
      },
    },
    factsOf,
  ),
  {
    name: 'execution-differs',
    state: 'CRITICAL',
    when: 'its state root differs twice in a row from the `app_hash` of the rollup node at the same height, and both agreed before',
    spans: spansOf('differs'),
    reason: (inputs) => {
      const { latest } = factsOf(inputs);
      const { height, stateRoot, appHash } = latest?.compared ?? {
        height: '?',
        stateRoot: '?',
        appHash: '?',
      };
      return `The execution layer has another state than the rollup node${sinceHeight(latest?.firstDifference)}: at ${height}, ${short(stateRoot)} instead of ${short(appHash)}.`;
    },
  },
  {
    name: 'execution-behind',
    state: 'CRITICAL',
    when: 'it is more than 2 blocks behind the rollup node, twice in a row',
    spans: spansOf('behind'),
    reason: (inputs) => {
      const facts = factsOf(inputs);
      const left = leftMs(facts);
      const rate =
        left === undefined
          ? 'and does not catch up'
          : `and needs about ${duration(left)} at its present rate`;
      return `The execution layer is ${facts.lag?.blocks ?? 'some'} blocks behind, ${rate}: ${placeOf(facts)}.`;
    },
  },
  {
    name: 'execution-ahead',
    state: 'WARNING',
    when: 'it is more than 3 blocks ahead of the rollup node, twice in a row',
    spans: spansOf('ahead'),
    reason: (inputs) => {
      const facts = factsOf(inputs);
      return `The execution layer is ${Math.abs(facts.lag?.blocks ?? 0)} blocks ahead: ${placeOf(facts)}.`;
    },
  },
  {
    name: 'not-comparable',
    state: 'UNKNOWN',
    when: 'its state roots never agreed with the rollup node: this executor cannot be compared',
    spans: (inputs) => when(factsOf(inputs).standing === 'incomparable'),
    reason: () =>
      'The execution layer answers, but its state roots are not those that the rollup node names.',
  },
  {
    name: 'healthy',
    state: 'HEALTHY',
    when: 'otherwise',
    spans: () => when(true),
    reason: () => 'The execution layer answers, and nothing shows that it differs from the rollup node.',
  },
];

/** The height from which on the states differ; empty if unknown. */
function sinceHeight(first: string | null | undefined): string {
  if (!first) return '';
  return first === '0' ? ', from its genesis on' : `, first at ${first}`;
}

/** The beginning of a hash: enough to distinguish two hashes. */
function short(hash: string): string {
  return hash.slice(0, 12);
}
