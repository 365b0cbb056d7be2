/** Seed of a run of chaos: printed in the name of its tests, and taken from there to try a run again. */
export const CHAOS_SEED = Number(process.env['HINDSIGHT_CHAOS_SEED'] ?? Math.floor(Math.random() * 1e6));
