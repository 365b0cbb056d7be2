import type { Millis } from '../domain/time.js';
import type { FaultName, PlannedFault } from './faults.js';
import { seededInteger } from './seeded-random.js';

interface ScenarioStep {
  readonly fault: FaultName;
  /** First start, since the start of the scenario. */
  readonly atMs: Millis;
  readonly forMs: Millis;
  /** From one start to the next; needed when the fault occurs more than once. */
  readonly everyMs?: Millis | undefined;
  /** The number of times that it occurs. Default 1. */
  readonly times?: number | undefined;
  /** Each start is delayed by up to this much, depending on the seed. Default 0. */
  readonly jitterMs?: Millis | undefined;
}

export interface Scenario {
  readonly steps: readonly ScenarioStep[];
  /** The scenario starts again after this time; without it, it is played once. */
  readonly repeatMs?: Millis | undefined;
}

const STEADY: Scenario = { steps: [] };

/** The scenarios that have a name on the command line. */
export const SCENARIOS: Readonly<Record<'steady' | 'flaky', Scenario>> = {
  steady: STEADY,
  flaky: {
    steps: [
      { fault: 'down', atMs: 10_000, forMs: 8_000 },
      { fault: 'mempool', atMs: 43_000, forMs: 4_000 },
      { fault: 'sequence', atMs: 77_000, forMs: 6_000 },
      { fault: 'slow', atMs: 113_000, forMs: 15_000 },
      { fault: 'funds', atMs: 158_000, forMs: 45_000 },
    ],
    repeatMs: 263_000,
  },
};

/** The faults of a scenario in the order in which they begin; the same for the same seed. */
export function* planFaults({ steps, repeatMs }: Scenario = STEADY, seed: string): Generator<PlannedFault> {
  for (let round = 0; ; round += 1) {
    const beginnings = steps
      .flatMap((step, index) => beginningsOf(step, [seed, index, round]))
      .sort((a, b) => a.atMs - b.atMs);
    for (const each of beginnings) yield { ...each, atMs: each.atMs + round * (repeatMs ?? 0) };
    if (repeatMs === undefined || beginnings.length === 0) return;
  }
}

function beginningsOf(
  { fault, atMs, forMs, everyMs = 0, times = 1, jitterMs = 0 }: ScenarioStep,
  labels: readonly (string | number)[],
): PlannedFault[] {
  return Array.from({ length: times }, (_, time) => ({
    fault,
    atMs: atMs + time * everyMs + seededInteger(jitterMs + 1, 'scenario', ...labels, time),
    forMs,
  }));
}
