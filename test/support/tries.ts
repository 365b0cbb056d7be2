const SEED = Number(process.env['HINDSIGHT_TRIES_SEED'] ?? 1);
const FACTOR = Number(process.env['HINDSIGHT_TRIES_FACTOR'] ?? 1);

/**
 * The number of tries of a property, for fast-check: always the same cases, unless HINDSIGHT_TRIES_SEED sets another seed. The
 * message of a failure names the seed. HINDSIGHT_TRIES_FACTOR tries more, as `npm run test:long` does.
 */
export function tries(count: number): { readonly seed: number; readonly numRuns: number } {
  return { seed: SEED, numRuns: count * FACTOR };
}
