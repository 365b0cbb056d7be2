import type { HealthComponent } from '../health/health-rule.js';
import type { TroubledState } from '../health/trouble.js';
import type { Millis } from '../time.js';

/** How bad it is: a CRITICAL one is worth waking somebody. */
export type AlertSeverity = TroubledState;

/** One condition that people are told of, and the words for it. */
export interface AlertRule {
  readonly name: string;
  readonly severity: AlertSeverity;
  /** The health rules that it stands for, of one component. */
  readonly component: HealthComponent;
  readonly rules: readonly string[];
  /** For so long it must hold before anybody is told. */
  readonly forMs: Millis;
  readonly title: string;
  readonly means: string;
  readonly remedy: string;
}

const MINUTE: Millis = 60_000;

/** The rules that hold wherever a destination is set. */
export const ALERT_RULES: readonly AlertRule[] = [
  {
    name: 'da-failing',
    severity: 'CRITICAL',
    component: 'DA',
    rules: ['failing'],
    forMs: MINUTE,
    title: 'Submissions to the DA layer fail',
    means: 'Each attempt is refused or times out. Blocks pile up and are not final.',
    remedy:
      'Read the message of the last failure: balance, gas price, blob size, DA endpoint, in this order.',
  },
  {
    name: 'da-silent',
    severity: 'CRITICAL',
    component: 'DA',
    rules: ['silent'],
    forMs: MINUTE,
    title: 'Nothing is submitted to the DA layer',
    means: 'Blocks wait, and no attempt succeeds. The submitter hangs or is stopped.',
    remedy:
      "Look at the node's log for its submitter; see that its DA endpoint answers; then restart the node.",
  },
  {
    name: 'finality-frozen',
    severity: 'CRITICAL',
    component: 'DA',
    rules: ['frozen'],
    forMs: MINUTE,
    title: 'Finality stands still',
    means: 'Submissions succeed, but no further block is shown as included. Users wait for finality.',
    remedy:
      'See that the node reads the DA layer: its DA endpoint, its namespaces, and whether that endpoint is in step.',
  },
  {
    name: 'node-unreachable',
    severity: 'CRITICAL',
    component: 'NODE',
    rules: ['unreachable'],
    forMs: 2 * MINUTE,
    title: 'The node does not answer',
    means: 'Nothing is known of it meanwhile. What its list loses until it is back may be lost for good.',
    remedy: 'See that the process runs, and that its RPC port can be reached from where Hindsight runs.',
  },
  {
    name: 'node-stuck',
    severity: 'CRITICAL',
    component: 'NODE',
    rules: ['not-live', 'head-still'],
    forMs: 2 * MINUTE,
    title: 'The node makes no blocks',
    means: 'It answers, but it is not live or its head stands still. The chain may stand still with it.',
    remedy: "Look at the node's log for its last block; of a follower, at its peers; then restart the node.",
  },
];
