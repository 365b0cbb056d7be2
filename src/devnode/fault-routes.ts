import { z } from 'zod';
import { endOf, FOR_MS, type DevControl } from './dev-routes.js';
import { FAULT_NAMES, refusalOf, type Faults } from './faults.js';
import type { TruthLog } from './truth-log.js';

const MAX_BURST = 10_000;

/** A request is exactly one of the three. */
const COMMAND = z.union([
  z.strictObject({ fault: z.enum(FAULT_NAMES), forMs: FOR_MS }),
  endOf(FAULT_NAMES),
  /** Makes so many blocks at once and posts each part of each in a submission of its own. */
  z.strictObject({ burst: z.int().min(1).max(MAX_BURST) }),
]);

interface FaultParts {
  readonly faults: Faults;
  readonly truth: TruthLog;
  readonly isFollower: boolean;
  /** Undefined for a node that cannot make blocks at once. */
  readonly burst: ((count: number) => void) | undefined;
  /** Shown in the answer. */
  describe(): object;
}

export function controlOf(parts: FaultParts): DevControl<z.infer<typeof COMMAND>> {
  return {
    truth: parts.truth,
    schema: COMMAND,
    usage: `Send by POST {"fault":"down","forMs":60000}, {"end":"all"} or {"burst":5}. Faults are ${FAULT_NAMES.join(', ')}.`,
    apply(command) {
      if ('fault' in command) {
        const refusal = refusalOf(command.fault, parts.isFollower);
        if (refusal !== undefined) return refusal;
        parts.faults.begin(command.fault, command.forMs);
      } else if ('end' in command) parts.faults.end(command.end);
      else if (parts.burst) parts.burst(command.burst);
      else return 'A node with an execution layer makes blocks one by one.';
      return { faults: parts.faults.names, ...parts.describe() };
    },
  };
}
