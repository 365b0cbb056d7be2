import type { DevnodeOptions } from '../../../src/devnode/devnode-options.js';
import type { Scenario } from '../../../src/devnode/scenario.js';

/** A devnode with known faults. Its behaviour is recorded in its truth log, which knows no rules. */
export interface OutageNode {
  readonly id: string;
  readonly chain: string;
  /** Id of the node that it follows, which is earlier in the list. */
  readonly follow?: string;
  readonly options?: Partial<DevnodeOptions>;
  readonly faults: Scenario['steps'];
}

const SECOND = 1_000;

/** Faults are as short as the rules allow: `da-failing` waits a minute, `node-unreachable` two, and an end five of calm. */
export const OUTAGE_NODES: readonly OutageNode[] = [
  {
    id: 'slow-dead',
    chain: 'slow-1',
    faults: [
      // Longer than usual, however few successes are known.
      { fault: 'hang', atMs: 40 * SECOND, forMs: 25 * SECOND },
      { fault: 'kill', atMs: 105 * SECOND, forMs: 150 * SECOND },
    ],
  },
  { id: 'lead', chain: 'frozen-1', faults: [] },
  {
    id: 'frozen',
    chain: 'frozen-1',
    follow: 'lead',
    // Its inclusion has advanced often enough by then to be judged.
    faults: [{ fault: 'frozen', atMs: 120 * SECOND, forMs: 150 * SECOND }],
  },
  {
    id: 'p2p',
    chain: 'frozen-1',
    follow: 'lead',
    options: { daMonitoring: 'disabled' },
    faults: [{ fault: 'frozen', atMs: 0, forMs: 3_600 * SECOND }],
  },
  {
    id: 'restarted',
    chain: 'calm-1',
    faults: [
      { fault: 'restart', atMs: 30 * SECOND, forMs: 12 * SECOND },
      { fault: 'kill', atMs: 282 * SECOND, forMs: 150 * SECOND },
    ],
  },
  { id: 'twice-lead', chain: 'twice-1', faults: [] },
  {
    id: 'first-dead',
    chain: 'twice-1',
    follow: 'twice-lead',
    faults: [{ fault: 'kill', atMs: 40 * SECOND, forMs: 20 * SECOND }],
  },
  {
    id: 'second-dead',
    chain: 'twice-1',
    follow: 'twice-lead',
    faults: [{ fault: 'kill', atMs: 220 * SECOND, forMs: 20 * SECOND }],
  },
  {
    id: 'funds-refused',
    chain: 'funds-1',
    faults: [
      { fault: 'funds', atMs: 40 * SECOND, forMs: 100 * SECOND },
      { fault: 'refused', atMs: 140 * SECOND, forMs: 90 * SECOND },
    ],
  },
  {
    id: 'well-at-times',
    chain: 'times-1',
    faults: [{ fault: 'refused', atMs: 40 * SECOND, forMs: 59.5 * SECOND, everyMs: 60 * SECOND, times: 4 }],
  },
];
