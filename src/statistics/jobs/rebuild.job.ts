import { z } from 'zod';
import type { JobKind } from '../../platform/queues/job-kind.js';
import { PROJECTION_FACTORIES } from '../../projections/all-projections.js';

/** Replays the log into a new read model and swaps it in. */
export const REBUILD_JOB: JobKind<{ projection: string }> = {
  name: 'rebuild',
  data: z.strictObject({ projection: z.enum(Object.keys(PROJECTION_FACTORIES)) }),
  attempts: 5,
  firstBackoffMs: 5_000,
  identify: ({ projection }) => projection,
  isKept: true,
};
