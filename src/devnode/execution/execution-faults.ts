import { z } from 'zod';
import { endOf, FOR_MS } from '../dev-routes.js';

/** Every fault that an execution layer of the rig can have, and how it shows. */
export const EXECUTION_FAULTS = {
  stopped: 'both ports refuse connections',
  hang: 'both ports accept connections and do not answer',
  behind: 'the head that is shown is "blocks" behind the executed one',
  ahead: 'the head that is shown is "blocks" ahead of the executed one',
  differs: 'states differ from "height" on, and the rollup is refused; not with "refuse":false',
  'wrong-genesis': 'states differ from genesis on, and the rollup is refused; not with "refuse":false',
} as const;

const FAULT_NAMES = Object.keys(EXECUTION_FAULTS) as readonly (keyof typeof EXECUTION_FAULTS)[];

const MAX_BLOCKS = 10_000_000;
const BLOCKS = z.int().min(1).max(MAX_BLOCKS);
const REFUSE = z.boolean().optional();

const FAULT = z.discriminatedUnion('fault', [
  z.strictObject({ fault: z.enum(['stopped', 'hang']), forMs: FOR_MS }),
  z.strictObject({ fault: z.literal('behind'), blocks: BLOCKS, forMs: FOR_MS }),
  z.strictObject({ fault: z.literal('ahead'), blocks: BLOCKS, forMs: FOR_MS }),
  z.strictObject({
    fault: z.literal('differs'),
    height: z.int().min(0).max(MAX_BLOCKS),
    refuse: REFUSE,
    forMs: FOR_MS,
  }),
  z.strictObject({ fault: z.literal('wrong-genesis'), refuse: REFUSE, forMs: FOR_MS }),
]);
/** A fault with its parameters; without `forMs` it lasts until it is ended. */
export type ExecutionFault = z.infer<typeof FAULT>;

/** A request is exactly one of these. */
export const EXECUTION_COMMAND = z.union([
  FAULT,
  endOf(FAULT_NAMES),
  /** Loses its newest blocks for good, as when it is restored from an old copy. */
  z.strictObject({ rollBack: BLOCKS }),
]);
export type ExecutionCommand = z.infer<typeof EXECUTION_COMMAND>;

export const EXECUTION_USAGE = `Send by POST {"fault":"behind","blocks":50,"forMs":60000}, {"end":"all"} or {"rollBack":50}. Faults are ${FAULT_NAMES.join(', ')}.`;
