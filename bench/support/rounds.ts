/** One of several compared ways to do something; `run` returns its cost in any unit. */
export interface Contestant {
  readonly name: string;
  run(round: number): number | Promise<number>;
}

/**
 * Runs all contestants round after round, each round starting with another one, and returns the costs of each, one per round. A
 * noisy machine slows neighbours in time alike, so only costs of one round are compared.
 *
 * @param warmUps initial rounds whose costs are discarded
 */
export async function playRounds(
  contestants: readonly Contestant[],
  rounds: number,
  warmUps = 1,
): Promise<Map<string, number[]>> {
  const costs = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (let round = -warmUps; round < rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const contestant = contestants[(turn + Math.max(0, round)) % contestants.length];
      if (!contestant) continue;
      const cost = await contestant.run(round);
      if (round >= 0) costs.get(contestant.name)?.push(cost);
    }
  }
  return costs;
}

/** The median over the rounds of one contestant's cost divided by another's. */
export function ratioOf(costs: ReadonlyMap<string, number[]>, of: string, to: string): number {
  const below = costs.get(to) ?? [];
  return median((costs.get(of) ?? []).map((cost, round) => cost / (below[round] ?? NaN)));
}

/** The median of a contestant's costs. */
export function medianOf(costs: ReadonlyMap<string, number[]>, name: string): number {
  return median(costs.get(name) ?? []);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** Milliseconds that some work takes. */
export async function wallMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Milliseconds of CPU that this process spends on some work, all of its threads, garbage collection included. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
