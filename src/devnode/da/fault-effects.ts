import type { Clock } from '../../platform/clock.js';
import type { GivenFaults } from '../given-faults.js';
import type { DaFault } from './da-faults.js';
import { permissionsOf } from './da-tokens.js';

type DaFaults = GivenFaults<DaFault>;

const TICK_MS = 100;
/** The errors of the recorded node, and the time until each, when its consensus node was down and when it hung. */
const CONSENSUS_FAULTS = [
  {
    fault: 'consensus-down',
    delayMs: 16_000,
    reason: 'transport: Error while dialing: dial tcp 127.0.0.1:9090: connect: connection refused',
  },
  {
    fault: 'consensus-hang',
    delayMs: 38_000,
    reason: 'error reading server preface: raw-read tcp 127.0.0.1:60740->127.0.0.1:9090: i/o timeout',
  },
] as const;

/** The permissions that faults leave to a token; undefined when a fault makes the node refuse the token. */
export function permissionsUnder(
  faults: DaFaults,
  permissions: readonly string[],
): readonly string[] | undefined {
  const kind = permissions.includes('write') ? 'write' : 'read';
  const refused = faults.find('token-refused');
  if (refused && (refused.only ?? kind) === kind) return undefined;
  const weak = faults.find('token-weak');
  return weak && (weak.only ?? kind) === kind ? permissionsOf(weak.level ?? 'public') : permissions;
}

/**
 * Waits for the consensus node. Returns gRPC's error when it stayed out of reach, undefined otherwise.
 * @param isPatient waits for as long as it hangs, as a submission does
 */
export async function awaitConsensus(
  faults: DaFaults,
  clock: Clock,
  signal: AbortSignal,
  isPatient: boolean,
): Promise<string | undefined> {
  for (const { fault, delayMs, reason } of CONSENSUS_FAULTS) {
    const isEndless = isPatient && fault === 'consensus-hang';
    const waitMs = isEndless ? Infinity : (faults.find(fault)?.delayMs ?? delayMs);
    const endAt = clock.monotonic() + waitMs;
    while (faults.has(fault) && clock.monotonic() < endAt && !signal.aborted)
      await clock.sleep(Math.min(TICK_MS, endAt - clock.monotonic()), signal);
    if (signal.aborted) return 'context canceled';
    if (faults.has(fault)) return `rpc error: code = Unavailable desc = connection error: desc = "${reason}"`;
  }
  return undefined;
}
