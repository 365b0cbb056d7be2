import type { CauseCount } from '../interval/failures-by-cause.js';
import { GAS_PRICE } from '../submissions/failure-cause.js';
import { sourceOf } from './failure-source.js';
import { quoteForShell } from '../printable-text.js';
import { tlsRemedy } from '../tls-fault.js';
import type { HealthComponent } from './health-rule.js';

/** The meaning of trouble for users of the chain, and the remedy. */
export interface TroubleWords {
  readonly means: string;
  readonly remedy: string;
  /** A shell command that shows or checks the trouble, with names of {@link CommandValues}; undefined: {@link SHOW_INCIDENT}. */
  readonly command?: string;
}

const SHOW_INCIDENT = 'hindsight incident INCIDENT_ID';
const CHECK_LIVE = 'curl -i NODE_URL/health/live';
const CHECK_READY = 'curl -i NODE_URL/health/ready';

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
      command: CHECK_LIVE,
    },
    'look-failed': {
      means: 'The node may be down.',
      remedy: 'Check that the process runs, and that its RPC port can be reached from Hindsight.',
      command: CHECK_LIVE,
    },
    'not-live': {
      means: 'The node answers, but reports a fault of its own. The chain may have halted.',
      remedy: "Check the node's log and the disk of its store; then restart the node.",
      command: CHECK_LIVE,
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
      command: CHECK_READY,
    },
    'catching-up': {
      means: 'The node is behind its chain, so its answers are old.',
      remedy:
        'Wait while its height grows. If the height grows slowly, check its peers (their addresses, a blocked port) and its execution layer.',
      command: CHECK_READY,
    },
  },
  DA_NODE: {
    'da-token-refused': {
      means:
        'Hindsight does not see the DA node or its account. The rollup node has a token of its own and may be well.',
      remedy:
        "Make a new token with `celestia light auth read` on the DA node's host (`bridge` for a bridge node), and put it into the `tokenFile` of the node's settings. A re-created store of the DA node voids all tokens.",
    },
    'da-node-unreachable': {
      means: 'The rollup node cannot post through this DA node, unless only Hindsight does not reach it.',
      remedy:
        'Check that the DA node runs, and that its RPC port can be reached from here. A light node exits 20 s after a start without its consensus node.',
    },
    'da-node-behind': {
      means: 'Submissions through this DA node wait or fail until its head moves again.',
      remedy:
        'Compare the head with a public explorer of the DA chain. If the chain moves, check the peers of the DA node and the consensus node behind it; if the chain is halted, wait for its validators.',
    },
    'consensus-unreachable': {
      means: 'The DA node answers, but cannot submit, and the balance of the account is unknown.',
      remedy: 'Check the consensus node behind the DA node (`--core.ip`, `--core.port`), and its gRPC port.',
    },
    'funds-low': {
      means:
        'Submissions fail once the account cannot pay the next fee. Then blocks pile up and are not final.',
      remedy: 'Send TIA to the account that the incident names.',
    },
    'da-token-expires': {
      means:
        'Hindsight will not see the DA node and its account after that time. The rollup node has a token of its own.',
      remedy:
        "Make a new token with `celestia light auth read` on the DA node's host (`bridge` for a bridge node), and put it into the `tokenFile` of the node's settings.",
    },
  },
  EXECUTION: {
    'execution-refused': {
      means:
        'Hindsight does not see the execution layer. The rollup node reaches it in its own way and may be well.',
      remedy:
        "Check the key in the address of the node's settings. A client that answers 403 serves only some host names: allow the name in --http.vhosts, or use an address.",
    },
    'execution-unreachable': {
      means:
        'The rollup node produces no block without its execution layer, and stops itself after some tries.',
      remedy: 'Check that the execution client runs, and that its HTTP port can be reached from here.',
    },
    'execution-differs': {
      means:
        'The rollup node and its execution layer do not have the same chain. The node stops itself within half a minute.',
      remedy:
        'Check whether the execution client has the data directory of this rollup, and was not restored from a copy. Stop both, restore the execution client from a state before the first difference, and let the node replay its blocks.',
    },
    'execution-behind': {
      means:
        'The rollup node cannot build on a state that its execution layer lacks, and stops itself within half a minute.',
      remedy:
        'Check whether the execution client was restored from an older copy. Start the rollup node again: at its start the node replays the missing blocks.',
    },
    'execution-ahead': {
      means: 'The rollup node was rolled back, and its execution layer was not. New blocks may be refused.',
      remedy: 'Roll the execution client back to the height of the rollup node.',
    },
  },
  COVERAGE: {
    unwatched: {
      means: 'What the node did in this time is unknown. Figures are lower bounds.',
      remedy:
        'Check whether Hindsight was stopped, or its database was unavailable. Run two observers, so that one takes over when the other stops.',
      command: 'hindsight status',
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
  /** The worst rule of the node's DA_NODE line meanwhile; undefined: the DA node is not watched. */
  readonly daNode?: string | undefined;
  /** The reason of the trouble in words; it may name a fault of TLS. */
  readonly reason?: string | undefined;
}

/** Rules of systems that cannot be reached. */
const REACH_RULES: ReadonlySet<string> = new Set([
  'unreachable',
  'look-failed',
  'da-node-unreachable',
  'consensus-unreachable',
  'execution-unreachable',
]);

/** The remedy for a rule of health, or for the found cause of failed attempts. Undefined for a rule without trouble. */
export function remedyOf(component: HealthComponent, rule: string, found: FoundCauses): string | undefined {
  const ofTls = REACH_RULES.has(rule) ? tlsRemedy(found.reason ?? '') : undefined;
  if (ofTls !== undefined) return ofTls;
  const isFailing = isByFailures(component, rule);
  const remedy = isFailing ? remedyOfCauses(found) : undefined;
  const source = isFailing && remedy === undefined ? sourceOf(found.daNode, null) : undefined;
  const general = troubleWords(component, rule)?.remedy;
  return remedy ?? (source && general ? `${source} ${general}` : general);
}

/** The path of the page about a rule of health, or about the found cause of failed attempts. Undefined for a rule without trouble. */
export function runbookOf(component: HealthComponent, rule: string, found: FoundCauses): string | undefined {
  if (troubleWords(component, rule) === undefined) return undefined;
  const ofCause = isByFailures(component, rule) ? runbookOfCauses(found) : undefined;
  const name = RUNBOOKS[rule] ?? (component === 'DA' ? 'finality-frozen' : 'node-stuck');
  return ofCause ?? `${RUNBOOK_PATH}${name}`;
}

export interface CommandValues {
  readonly INCIDENT_ID: string;
  /** The masked address of the node; undefined while another node of the incident has the trouble. */
  readonly NODE_URL: string | undefined;
}

/** The command that shows or checks trouble. Every value is quoted for the shell. */
export function commandOf(component: HealthComponent, rule: string, values: CommandValues): string {
  const { command = SHOW_INCIDENT } = troubleWords(component, rule) ?? {};
  const known = values.NODE_URL === undefined && command.includes('NODE_URL') ? SHOW_INCIDENT : command;
  return known.replace(/INCIDENT_ID|NODE_URL/, (name) =>
    quoteForShell((values[name as keyof CommandValues] ?? '').replace(/\/+$/, '')),
  );
}

/** Pages of the service: docs/runbooks, and docs/failure-causes.md with a section for each cause. */
export const RUNBOOK_PATH = '/runbooks/';

/** The page of each rule, except for finality and for a stuck node. */
const RUNBOOKS: Readonly<Record<string, string>> = {
  failing: 'da-failing',
  failures: 'many-failures',
  silent: 'da-silent',
  slow: 'da-silent',
  'histories-differ': 'history-changed',
  'history-replaced': 'history-changed',
  'da-token-refused': 'da-node',
  'da-token-expires': 'da-node',
  'da-node-unreachable': 'da-node',
  'da-node-behind': 'da-node',
  'consensus-unreachable': 'da-node',
  'funds-low': 'funds-low',
  'execution-refused': 'execution-layer',
  'execution-unreachable': 'execution-layer',
  'execution-differs': 'execution-layer',
  'execution-behind': 'execution-layer',
  'execution-ahead': 'execution-layer',
  unreachable: 'node-unreachable',
  'look-failed': 'node-unreachable',
  unwatched: 'node-unseen',
  'rows-missed': 'rows-missed',
};

/** This many failures of a cause are not stray ones. */
const NO_STRAY_COUNT = 3n;

/** The remedy for the cause that {@link causeToFix} finds; undefined without failures. */
export function remedyOfCauses(found: FoundCauses): string | undefined {
  const first = causeToFix(found);
  if (first === undefined) return undefined;
  const all = found.causes.reduce((sum, { count }) => sum + count, 0n);
  const { title, remedy } = first.cause;
  const share = first.count === all ? 'all' : `${first.count} of ${all}`;
  const source = sourceOf(found.daNode, first.cause.code);
  return `${title.replace(/\.$/, '')} (${share} failures). ${source ? `${source} ` : ''}${remedy}`;
}

/** The path of the section about the cause that {@link causeToFix} finds; undefined without failures. */
export function runbookOfCauses(found: FoundCauses): string | undefined {
  const code = causeToFix(found)?.cause.code;
  return code && `${RUNBOOK_PATH}failure-causes#${code.toLowerCase()}`;
}

/** The latest cause while the trouble is open, later the most frequent cause. */
function causeToFix({ causes, isOpen }: FoundCauses): FoundCauses['causes'][number] | undefined {
  const latest = causes
    .filter(({ count }) => count >= NO_STRAY_COUNT)
    .reduce<FoundCauses['causes'][number] | undefined>(
      (last, one) => (last === undefined || one.lastPosition > last.lastPosition ? one : last),
      undefined,
    );
  return (isOpen ? latest : undefined) ?? causes[0];
}
