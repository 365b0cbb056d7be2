/** Seed of random tests: printed in their names, and the same in each run unless the environment sets another. */
export const CHAOS_SEED = Number(process.env['HINDSIGHT_CHAOS_SEED'] ?? 1);
