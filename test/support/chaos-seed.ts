/** Seed of what is random: printed in the name of its tests, the same in each run unless the environment names another. */
export const CHAOS_SEED = Number(process.env['HINDSIGHT_CHAOS_SEED'] ?? 1);
