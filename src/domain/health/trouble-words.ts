import type { CauseCount } from '../interval/failures-by-cause.js';
import { GAS_PRICE } from '../submissions/failure-cause.js';
import type { HealthComponent } from './health-rule.js';

/** What trouble means for those who use the chain, and what to do. */
export interface TroubleWords {
  readonly means: string;
  readonly remedy: string;
}

const FAILURES_FIRST =
  'The incident names the cause and what to do. If no cause is known, check the balance of the DA account, the gas price, the size of blobs and the DA endpoint, in this order.';
const LOOK_AT_INCLUSION =
  'See that the node reads the DA layer: its DA endpoint, its namespaces, and whether that endpoint is in step. Where it stands still since a restart, stop the node in good order and start it again.';
const LOOK_AT_HEAD =
  "Look at the node's log for its last block, and at its execution layer. A state root that does not match, or an execution error, means that the two are out of step. Of a follower, look at its peers: a wrong address, or a port that is blocked.";

/** By component and rule of health: each rule that says WARNING or CRITICAL. */
export const TROUBLE_WORDS = {
  DA: {
    failing: {
      means: 'Each attempt is refused or times out. Blocks pile up and are not final.',
      remedy: FAILURES_FIRST,
    },
    failures: {
      means: 'Some attempts are refused or time out. Blocks become final later than usual.',
      remedy: FAILURES_FIRST,
    },
    frozen: {
      means:
        'Submissions succeed, but the node shows no further block as included. Who asks it waits for finality; other nodes of the chain may see it move.',
      remedy: LOOK_AT_INCLUSION,
    },
    'inclusion-late': {
      means: 'Submissions succeed, but blocks are shown as included later than usual.',
      remedy: LOOK_AT_INCLUSION,
    },
    silent: {
      means: 'Blocks wait, and no attempt succeeds. The submitter hangs or is stopped.',
      remedy:
        "See that the DA endpoint answers, and how busy the DA node is. Look at the node's log for its submitter; then restart the node.",
    },
    slow: {
      means: 'Blocks wait longer than usual for a success.',
      remedy: `Check how busy the DA node is. If it is not, raise ${GAS_PRICE}.`,
    },
  },
  NODE: {
    unreachable: {
      means: 'Nothing is known of it meanwhile. What its list loses until it is back may be lost for good.',
      remedy:
        'See that the process runs, and that its RPC port can be reached from where Hindsight runs. It may end at once after a start. Then look at a port in use, the syntax of its configuration file, and the rights of its data directory.',
    },
    'look-failed': {
      means: 'Looks at it fail. Nothing is known of it meanwhile.',
      remedy: 'See that the process runs, and that its RPC port can be reached from where Hindsight runs.',
    },
    'not-live': {
      means: 'The node answers, and says that it does not live. The chain may stand still with it.',
      remedy: "Look at the node's log, and at the disk of its store; then restart the node.",
    },
    'head-still': {
      means: 'It answers, and makes or takes in no block. The chain may stand still with it.',
      remedy: LOOK_AT_HEAD,
    },
    'head-late': { means: 'Its next block is late.', remedy: LOOK_AT_HEAD },
    'histories-differ': {
      means:
        'Nodes under one chain id show different blocks. What clients read depends on the node they ask.',
      remedy:
        'Decide which history is right. Stop the nodes on the other one, move their data away and let them sync again. If both are meant to run, give one its own chain id.',
    },
    'history-replaced': {
      means:
        'Transactions and balances of the old blocks are gone on this node. Figures of the chain count both histories.',
      remedy:
        'If it was planned, nothing is to be done: it ends after 1 h. Next time, use a new chain id. If not, stop the sequencer, and see which data directory and genesis file it started with.',
    },
    'not-ready': {
      means: 'The node answers, and says that it is not ready to serve.',
      remedy: LOOK_AT_HEAD,
    },
    'catching-up': {
      means: 'The node is behind its chain. What it answers is old.',
      remedy:
        'Wait while its height grows. Where it grows slowly, look at its peers: their addresses, and whether the port is blocked; and at its execution layer.',
    },
  },
  COVERAGE: {
    unwatched: {
      means: 'For a time nobody can say what the node did. Figures of it are "at least".',
      remedy:
        'See whether Hindsight was stopped, or its database was away. Run two observers, so that one can go on where the other ends.',
    },
    'rows-missed': {
      means:
        'Rows left the list before they were seen, or may have. What is proven of them stands in the losses.',
      remedy: 'Poll more often (poll.ceiling) where the list overflowed; see whether the node restarted.',
    },
  },
} as const satisfies Readonly<Record<HealthComponent, Readonly<Record<string, TroubleWords>>>>;

/** The words for a rule of health that says that something is the matter; undefined for every other. */
export function troubleWords(component: HealthComponent, rule: string): TroubleWords | undefined {
  const words: Readonly<Record<string, TroubleWords>> = TROUBLE_WORDS[component];
  return words[rule];
}

/** Has a section for each cause. */
const RUNBOOK = 'docs/failure-causes.md';

/** Rules of the DA component that attempts which fail bring about. */
const FAILURE_RULES: ReadonlySet<string> = new Set(['failing', 'failures', 'silent']);

/** Whether what to do about a rule depends on why attempts fail. */
export function isByFailures(component: HealthComponent, rule: string): boolean {
  return component === 'DA' && FAILURE_RULES.has(rule);
}

/**
 * What to do about a rule of health: what helps against the cause of most failures, where attempts fail. Undefined for a rule that
 * says nothing is the matter.
 *
 * @param causes the causes of failures in that time, the most frequent first
 */
export function remedyOf(
  component: HealthComponent,
  rule: string,
  causes: readonly Pick<CauseCount, 'cause' | 'count'>[],
): string | undefined {
  const found = isByFailures(component, rule) ? remedyOfCauses(causes) : undefined;
  return found ?? troubleWords(component, rule)?.remedy;
}

/** What helps against the cause of most failures; undefined where none is known. @param causes the most frequent first */
export function remedyOfCauses(causes: readonly Pick<CauseCount, 'cause' | 'count'>[]): string | undefined {
  const [first] = causes;
  if (first === undefined) return undefined;
  const all = causes.reduce((sum, { count }) => sum + count, 0n);
  const { code, title, remedy } = first.cause;
  const share = first.count === all ? (all === 1n ? '1' : `all ${all}`) : `${first.count} of ${all}`;
  const what = `${title.replace(/\.$/, '')} (${share} failed attempt${all === 1n ? '' : 's'}).`;
  return `${what} ${remedy} Runbook: ${RUNBOOK}#${code.toLowerCase()}`;
}
