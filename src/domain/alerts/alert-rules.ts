import { TROUBLE_WORDS } from '../health/trouble-words.js';
import type { TroubledState } from '../health/trouble.js';
import type { Millis } from '../time.js';
import type { AlertCondition } from './alert-condition.js';
import type { AlertScope } from './alert-scope.js';

/** A CRITICAL alert is worth waking somebody. */
export type AlertSeverity = TroubledState;

/** The words that are sent: what is wrong, what it means, and what to do. */
export interface AlertWords {
  readonly title: string;
  readonly means: string;
  readonly remedy: string;
}

/** One condition that is reported to people, and its words. */
export interface AlertRule extends AlertWords {
  readonly name: string;
  readonly severity: AlertSeverity;
  readonly condition: AlertCondition;
  /** How long the condition must hold before it is reported. */
  readonly forMs: Millis;
  /** The nodes and chains that the rule applies to; undefined: all. */
  readonly scope?: Pick<AlertScope, 'nodes' | 'chains'>;
  /** Whether all nodes of a chain share one message, or each has its own; undefined: CHAIN. */
  readonly groupBy?: 'CHAIN' | 'NODE';
  /** Names of rules that suppress this one for a node that has their trouble. */
  readonly unless?: readonly string[];
  /** Ids of the destinations; undefined: all. */
  readonly destinations?: readonly string[];
  /** Whether the end is reported, too; undefined: yes. */
  readonly tellsEnd?: boolean;
}

const MINUTE: Millis = 60_000;

/** Words for conditions whose rules in the settings have no words of their own. */
export const WORDS: Readonly<Record<AlertCondition['kind'], AlertWords>> = {
  health: {
    title: 'Node unhealthy',
    means: 'The node or its DA layer is in a state that the alert rule names.',
    remedy: 'See the incident for the cause and what to do.',
  },
  failures: {
    title: 'Many DA submissions fail',
    means: 'Finality is slower, and failed attempts may cost fees.',
    remedy: 'Find the most frequent cause: hindsight incident NODE --from TIME lists them.',
  },
  cost: {
    title: 'DA cost is over budget',
    means: 'The budget for this time is used up, or will be.',
    remedy: 'Find what costs most: hindsight report. Then check batching, gas price and failed attempts.',
  },
  hole: {
    title: "Submissions may be missing from Hindsight's record",
    ...TROUBLE_WORDS.COVERAGE['rows-missed'],
  },
  coverage: {
    title: 'Gaps in monitoring',
    means: 'Submissions may be missing from the record. Figures are lower bounds.',
    remedy: 'Check that observers run and reach the node; coverageGaps has the reasons.',
  },
  noLook: {
    title: 'Node not seen',
    means:
      'Its status is unknown. Hindsight cannot record its submissions meanwhile, so some may be missing from the record.',
    remedy: 'Check that an observer runs and leads, and that it can reach the node.',
  },
  pending: {
    title: 'Blocks wait for the DA layer',
    means: 'Blocks become final later than usual.',
    remedy: 'Check whether submissions fail, are slow or too small: DA endpoint, gas price, batch size.',
  },
  claim: {
    title: 'Node misreports its DA health',
    means: 'Monitors that trust the health check of the node are misled.',
    remedy:
      'See the incidents of the node for what is wrong. Until it is fixed, do not rely on /da/health of the node.',
  },
  hindsight: {
    title: 'Hindsight is degraded',
    means: 'A part of the record is late or missing, or soon will be. Nodes may be fine.',
    remedy: 'Run hindsight status; check /health/ready and the logs of the process.',
  },
  disk: {
    title: "The disk of Hindsight's database is nearly full",
    means: 'Once the disk is full, Hindsight records nothing. The nodes are not affected.',
    remedy: 'Enlarge the disk. hindsight status shows what grows, and for how long there is room.',
  },
};

/** The rules that apply if any destination is set. */
export const ALERT_RULES: readonly AlertRule[] = [
  {
    name: 'da-failing',
    severity: 'CRITICAL',
    condition: { kind: 'health', component: 'DA', rules: ['failing'] },
    forMs: MINUTE,
    title: 'DA submissions fail',
    ...TROUBLE_WORDS.DA.failing,
  },
  {
    name: 'da-silent',
    severity: 'CRITICAL',
    condition: { kind: 'health', component: 'DA', rules: ['silent'] },
    forMs: MINUTE,
    title: 'No DA submissions',
    ...TROUBLE_WORDS.DA.silent,
  },
  {
    name: 'finality-frozen',
    severity: 'CRITICAL',
    condition: { kind: 'health', component: 'DA', rules: ['frozen'] },
    forMs: MINUTE,
    title: 'Finality is frozen',
    means: TROUBLE_WORDS.DA.frozen.means,
    // Shorter than the remedy of the incident, so that the message fits a phone; the next one, too.
    remedy: 'Check the DA endpoint of the node, its namespaces, and whether that endpoint is synced.',
  },
  {
    name: 'node-unreachable',
    severity: 'CRITICAL',
    condition: { kind: 'health', component: 'NODE', rules: ['unreachable'] },
    forMs: 2 * MINUTE,
    title: 'Node unreachable',
    means: TROUBLE_WORDS.NODE.unreachable.means,
    remedy: 'Check that the process runs, and that its RPC port can be reached from Hindsight.',
  },
  {
    name: 'node-stuck',
    severity: 'CRITICAL',
    condition: { kind: 'health', component: 'NODE', rules: ['not-live', 'head-still'] },
    forMs: 2 * MINUTE,
    title: 'Node stuck or not live',
    means: 'The chain may have halted, or this node no longer follows it.',
    remedy: "Check the node's log for its last block; for a follower, its peers. Then restart the node.",
  },
  {
    name: 'history-changed',
    severity: 'CRITICAL',
    condition: { kind: 'health', component: 'NODE', rules: ['histories-differ', 'history-replaced'] },
    forMs: MINUTE,
    title: 'Chain history changed',
    means: 'Transactions of the old blocks may be gone, and balances depend on the node that clients ask.',
    remedy:
      'If planned, wait until all nodes show the new blocks. If not, do not restart or sync any node until it is clear which history is right.',
  },
  {
    name: 'da-node',
    severity: 'WARNING',
    condition: {
      kind: 'health',
      component: 'DA_NODE',
      rules: ['da-node-unreachable', 'da-node-behind', 'consensus-unreachable'],
    },
    forMs: 2 * MINUTE,
    title: 'DA node in trouble',
    means: 'Submissions through this DA node wait or fail.',
    remedy: 'See the incident for what is wrong: the DA node, its chain, or the consensus node behind it.',
  },
  {
    name: 'funds-low',
    severity: 'WARNING',
    condition: { kind: 'health', component: 'DA_NODE', rules: ['funds-low'] },
    forMs: MINUTE,
    title: 'DA account runs low',
    ...TROUBLE_WORDS.DA_NODE['funds-low'],
  },
  {
    name: 'execution-layer',
    severity: 'CRITICAL',
    condition: {
      kind: 'health',
      component: 'EXECUTION',
      rules: ['execution-unreachable', 'execution-differs', 'execution-behind'],
    },
    forMs: MINUTE,
    title: 'Execution layer in trouble',
    means: 'The node makes no block, or stops itself within half a minute.',
    remedy: 'See the incident: whether the execution layer is down, behind, or has another chain.',
  },
  {
    name: 'many-failures',
    severity: 'WARNING',
    condition: { kind: 'failures', above: 0.25, overMs: 10 * MINUTE, attempts: 10 },
    forMs: 0,
    unless: ['da-failing', 'da-silent'],
    ...WORDS.failures,
  },
  {
    name: 'blocks-pile-up',
    severity: 'WARNING',
    condition: { kind: 'pending', above: 1_000 },
    forMs: 15 * MINUTE,
    unless: ['da-failing', 'da-silent', 'finality-frozen', 'node-unreachable'],
    ...WORDS.pending,
  },
  {
    name: 'claim-differs',
    severity: 'WARNING',
    condition: { kind: 'claim' },
    forMs: 2 * MINUTE,
    ...WORDS.claim,
  },
  {
    name: 'rows-missed',
    severity: 'WARNING',
    condition: { kind: 'hole', withinMs: 15 * MINUTE },
    forMs: 0,
    // Missed rows do not come back.
    tellsEnd: false,
    ...WORDS.hole,
  },
  {
    name: 'node-unseen',
    severity: 'WARNING',
    condition: { kind: 'noLook', ms: 10 * MINUTE },
    forMs: 0,
    unless: ['node-unreachable', 'not-recording'],
    ...WORDS.noLook,
  },
  {
    name: 'not-recording',
    severity: 'CRITICAL',
    condition: { kind: 'hindsight', is: 'NOT_READY' },
    forMs: 2 * MINUTE,
    title: 'Hindsight is not recording, or its answers are old',
    means: 'Submissions of this time may be lost, and alerts may come late or not at all.',
    remedy: 'Run hindsight status; check that an observer leads, and that the database answers.',
  },
  {
    name: 'degraded',
    severity: 'WARNING',
    condition: { kind: 'hindsight', is: 'DEGRADED' },
    forMs: 15 * MINUTE,
    unless: ['not-recording'],
    ...WORDS.hindsight,
  },
  {
    name: 'disk-full',
    severity: 'WARNING',
    condition: { kind: 'disk', freeBytes: 2e9, days: 7 },
    forMs: 0,
    ...WORDS.disk,
  },
];
