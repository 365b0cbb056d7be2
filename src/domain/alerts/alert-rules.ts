import { TROUBLE_WORDS } from '../health/trouble-words.js';
import type { TroubledState } from '../health/trouble.js';
import type { Millis } from '../time.js';
import type { AlertCondition } from './alert-condition.js';
import type { AlertScope } from './alert-scope.js';

/** How bad it is: a CRITICAL one is worth waking somebody. */
export type AlertSeverity = TroubledState;

/** What people are told: what is the matter, what that means, and what to do. */
export interface AlertWords {
  readonly title: string;
  readonly means: string;
  readonly remedy: string;
}

/** One condition that people are told of, and the words for it. */
export interface AlertRule extends AlertWords {
  readonly name: string;
  readonly severity: AlertSeverity;
  readonly condition: AlertCondition;
  /** For so long it must hold before anybody is told. */
  readonly forMs: Millis;
  /** Which nodes and chains it is about; all when left out. */
  readonly scope?: Pick<AlertScope, 'nodes' | 'chains'>;
  /** Whether all nodes of a chain make one message, as when left out, or each its own. */
  readonly groupBy?: 'CHAIN' | 'NODE';
  /** Rules of which a node that has their trouble says nothing by this one. */
  readonly unless?: readonly string[];
  /** Ids of those who are told; all when left out. */
  readonly destinations?: readonly string[];
  /** Whether the end is told, too, as when left out. */
  readonly tellsEnd?: boolean;
}

const MINUTE: Millis = 60_000;

/** Words of conditions of which a rule in the settings need not bring its own. */
export const WORDS: Readonly<Record<AlertCondition['kind'], AlertWords>> = {
  health: {
    title: 'A node is not well',
    means: 'Its health, or that of its DA, is in a state that the settings name.',
    remedy: 'Read why, and look at the incident.',
  },
  failures: {
    title: 'Many submissions fail',
    means: 'Each failed attempt costs time and may cost fees. Finality goes on by those that get through.',
    remedy: 'See which cause is most frequent: hindsight incident NODE --from TIME lists them.',
  },
  cost: {
    title: 'The DA layer costs more than its budget',
    means: 'The money that was set aside for this time is used up, or will be.',
    remedy: 'See what costs most: hindsight report; then look at batching, gas price and failed attempts.',
  },
  hole: {
    title: 'Submissions may have been missed',
    ...TROUBLE_WORDS.COVERAGE['rows-missed'],
  },
  coverage: {
    title: 'Too little was watched',
    means: 'For a part of the time nobody can say that nothing was missed. Figures of it are "at least".',
    remedy: 'See coverageGaps for the reasons; see that observers run, and reach the node.',
  },
  noLook: {
    title: 'Nobody sees the node',
    means: 'No look has reached it. Nothing is known of it since, and its list may lose rows for good.',
    remedy: 'See that an observer runs and leads, and that the node can be reached from it.',
  },
  pending: {
    title: 'Blocks pile up',
    means: 'Many blocks wait for the DA layer. Their users wait for finality.',
    remedy: 'See whether submissions fail, are slow or too small: batch size, gas price, DA endpoint.',
  },
  claim: {
    title: 'The node claims something else of its DA',
    means: 'Its own health check contradicts what is seen. Whoever trusts that check is misled.',
    remedy: 'Trust the record, not the claim; read claimHistory, and tell those who ask the node.',
  },
  hindsight: {
    title: 'Hindsight is not as it should be',
    means: 'Something of the record is late, missing or about to be. Nodes may be fine meanwhile.',
    remedy: 'Run hindsight status, and read /health/ready and the logs of the process.',
  },
  disk: {
    title: 'The disk of the database is nearly full',
    means: 'When it is full, nothing is recorded any more, and what nodes show then is lost.',
    remedy: 'Give it more room. hindsight status says what grows, and how long it will do.',
  },
};

/** The rules that hold wherever a destination is set. */
export const ALERT_RULES: readonly AlertRule[] = [
  {
    name: 'da-failing',
    severity: 'CRITICAL',
    condition: { kind: 'health', component: 'DA', rules: ['failing'] },
    forMs: MINUTE,
    title: 'Submissions to the DA layer fail',
    ...TROUBLE_WORDS.DA.failing,
  },
  {
    name: 'da-silent',
    severity: 'CRITICAL',
    condition: { kind: 'health', component: 'DA', rules: ['silent'] },
    forMs: MINUTE,
    title: 'Nothing is submitted to the DA layer',
    ...TROUBLE_WORDS.DA.silent,
  },
  {
    name: 'finality-frozen',
    severity: 'CRITICAL',
    condition: { kind: 'health', component: 'DA', rules: ['frozen'] },
    forMs: MINUTE,
    title: 'No finality seen',
    means: TROUBLE_WORDS.DA.frozen.means,
    // Shorter than that of the incident, so that the message fits a phone; so is the next one.
    remedy:
      'See that the node reads the DA layer: its DA endpoint, its namespaces, and whether that endpoint is in step.',
  },
  {
    name: 'node-unreachable',
    severity: 'CRITICAL',
    condition: { kind: 'health', component: 'NODE', rules: ['unreachable'] },
    forMs: 2 * MINUTE,
    title: 'The node does not answer',
    means: TROUBLE_WORDS.NODE.unreachable.means,
    remedy: 'See that the process runs, and that its RPC port can be reached from where Hindsight runs.',
  },
  {
    name: 'node-stuck',
    severity: 'CRITICAL',
    condition: { kind: 'health', component: 'NODE', rules: ['not-live', 'head-still'] },
    forMs: 2 * MINUTE,
    title: 'The node is not live, or makes no blocks',
    means:
      'It answers, but says that it is not live, or its head stands still. The chain may stand still with it.',
    remedy: "Look at the node's log for its last block; of a follower, at its peers; then restart the node.",
  },
  {
    name: 'history-changed',
    severity: 'CRITICAL',
    condition: { kind: 'health', component: 'NODE', rules: ['histories-differ', 'history-replaced'] },
    forMs: MINUTE,
    title: 'The chain shows other blocks than before',
    means: 'The chain began again under its id, or its nodes show different blocks.',
    remedy:
      'If it was planned, wait until all nodes show the new blocks. If not, decide which history is right, and let the nodes on the other one sync again.',
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
    // What was missed does not come back.
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
    title: 'Hindsight does not record, or answers are old',
    means: 'What nodes show meanwhile may be lost for good, and alerts may come late or not at all.',
    remedy: 'Run hindsight status; see that an observer leads, and that the database answers.',
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
