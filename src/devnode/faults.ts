import type { Clock } from '../platform/clock.js';
import type { Millis } from '../domain/time.js';
import { ActiveFaults } from './active-faults.js';
import { DA_MODES, type DaMode } from './da-layer.js';
import type { TruthLog } from './truth-log.js';

/** Every fault that a devnode can have, and how it shows. */
export const FAULTS = {
  refused: 'the DA endpoint refuses connections',
  down: 'the connection to the DA node breaks',
  hang: 'the DA node does not answer, and each attempt ends with a timeout of the node',
  slow: 'the DA node answers three seconds later',
  funds: 'the DA account is out of funds',
  mempool: 'the DA layer reports that the transaction is already in the mempool',
  sequence: 'the DA layer expects another sequence number from the account',
  'too-big': 'the DA layer refuses every batch as too large, however small',
  frozen: 'submissions succeed, but the node reports no further block as included',
  halted: 'the node makes no further block',
  garbage: 'each answer is random bytes, half an answer, a web page, JSON of another shape, or an error',
  restart: 'the node shuts down cleanly, and starts when the fault ends, with an empty list',
  kill: 'like restart, but as after kill -9',
  follower: 'another node leads: this node shows blocks of the leader, and reports that it submits nothing',
} as const satisfies Readonly<Record<Exclude<DaMode, 'up'>, string>> & Readonly<Record<string, string>>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

/** Faults of a node that follows another: it makes and submits nothing, so it has no others. */
const FOLLOWER_FAULTS: ReadonlySet<FaultName> = new Set(['frozen', 'garbage', 'restart', 'kill']);

/** Why a node cannot have a fault, for a person; undefined when it can. */
export function refusalOf(fault: FaultName, isFollower: boolean): string | undefined {
  if (!isFollower || FOLLOWER_FAULTS.has(fault)) return undefined;
  return `A follower cannot have the fault ${fault}, only ${[...FOLLOWER_FAULTS].join(', ')}. Give the fault to the node that it follows.`;
}

export interface PlannedFault {
  readonly fault: FaultName;
  /** Start of the fault, since the first start of the node. */
  readonly atMs: Millis;
  readonly forMs: Millis;
}

/** The faults of a rollup node. Planned faults begin, and due ones end, when `tick` is called. */
export class Faults extends ActiveFaults<FaultName> {
  private readonly startedAt: Millis;
  private next: PlannedFault | undefined;

  /** @param plan faults in the order in which they begin; it may be endless */
  constructor(
    clock: Clock,
    truth: TruthLog,
    private readonly plan: Iterator<PlannedFault>,
  ) {
    super(clock, truth.note);
    this.startedAt = clock.monotonic();
    this.next = this.take();
  }

  /** The mode of the DA layer, set by its newest fault. */
  get daMode(): DaMode {
    return DA_MODES.find((mode) => mode === this.names.findLast((name) => isOfDa(name))) ?? 'up';
  }

  tick(): void {
    this.endDue();
    const now = this.clock.monotonic();
    for (; this.next && this.startedAt + this.next.atMs <= now; this.next = this.take()) {
      const { fault, atMs, forMs } = this.next;
      // Measured from the planned start: a late tick must not lengthen the fault.
      this.begin(fault, this.startedAt + atMs + forMs - now);
    }
  }

  private take(): PlannedFault | undefined {
    const { done, value } = this.plan.next();
    return done ? undefined : value;
  }
}

function isOfDa(fault: FaultName): boolean {
  return DA_MODES.some((mode) => mode === fault);
}
