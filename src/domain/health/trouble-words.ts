import type { CauseCount } from '../interval/failures-by-cause.js';
import { GAS_PRICE } from '../submissions/failure-cause.js';
import type { HealthComponent } from './health-rule.js';

/** The meaning of trouble for users of the chain, and the remedy. */
export interface TroubleWords {
  readonly means: string;
  readonly remedy: string;
}

const FAILURES_FIRST =
  'Fix the cause that the incident names. If no cause is known, check the balance of the DA account, the gas price, the size of blobs and the DA endpoint, in this order.';
const LOOK_AT_INCLUSION =
  'Check the DA endpoint of the node, its namespaces, and whether that endpoint is synced. If finality froze at a restart, stop the node cleanly and start it again.';
const LOOK_AT_HEAD =
  "Check the node's log for its last block, and its execution layer: a state root mismatch or an execution error means that the two are out of step. For a follower, check its peers: a wrong address, or a port that is blocked.";

/** The words for each health rule of a component that is WARNING or CRITICAL. */
export const TROUBLE_WORDS = {
  DA: {
    failing: {
      means: 'Blocks pile up and are not final.',
      remedy: FAILURES_FIRST,
    },
    failures: {
      means: 'Blocks become final later than usual.',
      remedy: FAILURES_FIRST,
    },
    frozen: {
      means:
        'The DA layer takes the data, but this node does not see its blocks as final. Clients of this node wait for finality.',
      remedy: LOOK_AT_INCLUSION,
    },
    'inclusion-late': {
      means: 'Submissions succeed, but blocks become final later than usual.',
      remedy: LOOK_AT_INCLUSION,
    },
    silent: {
      means: 'Blocks pile up and are not final. The submitter hangs or is stopped.',
      remedy:
        "Check that the DA endpoint answers, and how busy the DA node is. Check the node's log for its submitter; then restart the node.",
    },
    slow: {
      means: 'Blocks wait longer than usual and become final later.',
      remedy: `Check how busy the DA node is. If it is not, raise ${GAS_PRICE}.`,
    },
  },
  NODE: {
    unreachable: {
      means:
        'The chain may have halted. Until the node is back, Hindsight cannot record its submissions, so some may be missing from the record.',
      remedy:
        'Check that the process runs, and that its RPC port can be reached from Hindsight. If it exits right after a start, check for a port in use, the syntax of its configuration file, and the permissions of its data directory.',
    },
    'look-failed': {
      means: 'The node may be down.',
      remedy: 'Check that the process runs, and that its RPC port can be reached from Hindsight.',
    },
    'not-live': {
      means: 'The node answers, but reports a fault of its own. The chain may have halted.',
      remedy: "Check the node's log and the disk of its store; then restart the node.",
    },
    'head-still': {
      means: 'The node answers, but produces or receives no block. The chain may have halted.',
      remedy: LOOK_AT_HEAD,
    },
    'head-late': { means: 'The chain may be about to halt.', remedy: LOOK_AT_HEAD },
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
        'If the restart was planned, do nothing: the incident closes after 1 h. Use a new chain id next time. If not, stop the sequencer, and check which data directory and genesis file the sequencer started with.',
    },
    'not-ready': {
      means: 'The node answers, but does not serve its clients yet.',
      remedy: LOOK_AT_HEAD,
    },
    'catching-up': {
      means: 'The node is behind its chain, so its answers are old.',
      remedy:
        'Wait while its height grows. If the height grows slowly, check its peers (their addresses, a blocked port) and its execution layer.',
    },
  },
  COVERAGE: {
    unwatched: {
      means: 'What the node did in this time is unknown. Figures are lower bounds.',
      remedy:
        'Check whether Hindsight was stopped, or its database was unavailable. Run two observers, so that one takes over when the other stops.',
    },
    'rows-missed': {
      means: 'The gap is over, and Hindsight polls the node again. Only the record lacks these submissions.',
      remedy: 'The gap itself needs no repair. The runbook says how to prevent the next one.',
    },
  },
} as const satisfies Readonly<Record<HealthComponent, Readonly<Record<string, TroubleWords>>>>;

/** The words for a rule of health that means trouble; undefined for every other. */
export function troubleWords(component: HealthComponent, rule: string): TroubleWords | undefined {
  const words: Readonly<Record<string, TroubleWords>> = TROUBLE_WORDS[component];
  return words[rule];
}

/** This page has a section for each cause. */
const RUNBOOK = 'docs/failure-causes.md';

/** Rules of the DA component that failed attempts cause. */
const FAILURE_RULES: ReadonlySet<string> = new Set(['failing', 'failures', 'silent']);

/** Whether the remedy for a rule depends on why attempts fail. */
export function isByFailures(component: HealthComponent, rule: string): boolean {
  return component === 'DA' && FAILURE_RULES.has(rule);
}

/** The causes of failures in a period, most frequent first; `isOpen` while the trouble lasts. */
export interface FoundCauses {
  readonly causes: readonly Pick<CauseCount, 'cause' | 'count' | 'lastPosition'>[];
  readonly isOpen: boolean;
}

/** The remedy for a rule of health, or for the found cause of failed attempts. Undefined for a rule without trouble. */
export function remedyOf(component: HealthComponent, rule: string, found: FoundCauses): string | undefined {
  const words = troubleWords(component, rule);
  const remedy = isByFailures(component, rule) ? remedyOfCauses(found) : undefined;
  return remedy ?? (words && `${words.remedy} Runbook: docs/runbooks/${runbookOf(component, rule)}.md`);
}

/** The page of each rule, except for finality and for a stuck node. */
const RUNBOOKS: Readonly<Record<string, string>> = {
  failing: 'da-failing',
  failures: 'many-failures',
  silent: 'da-silent',
  slow: 'da-silent',
  unreachable: 'node-unreachable',
  'look-failed': 'node-unreachable',
  unwatched: 'node-unseen',
  'rows-missed': 'rows-missed',
};

function runbookOf(component: HealthComponent, rule: string): string {
  return RUNBOOKS[rule] ?? (component === 'DA' ? 'finality-frozen' : 'node-stuck');
}

/** This many failures of a cause are not stray ones. */
const NO_STRAY_COUNT = 3n;

/** The remedy for the latest cause while the trouble is open, later for the most frequent cause; undefined without failures. */
export function remedyOfCauses({ causes, isOpen }: FoundCauses): string | undefined {
  const latest = causes
    .filter(({ count }) => count >= NO_STRAY_COUNT)
    .reduce<FoundCauses['causes'][number] | undefined>(
      (last, one) => (last === undefined || one.lastPosition > last.lastPosition ? one : last),
      undefined,
    );
  const found = (isOpen ? latest : undefined) ?? causes[0];
  if (found === undefined) return undefined;
  const all = causes.reduce((sum, { count }) => sum + count, 0n);
  const { code, title, remedy } = found.cause;
  const share = found.count === all ? 'all' : `${found.count} of ${all}`;
  const what = `${title.replace(/\.$/, '')} (${share} failed attempts).`;
  return `${what} ${remedy} Runbook: ${RUNBOOK}#${code.toLowerCase()}`;
}
