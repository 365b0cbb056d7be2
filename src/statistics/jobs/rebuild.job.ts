import { z } from 'zod';
import type { JobKind } from '../../platform/queues/job-kind.js';
import { findReadModelSet, readModelNames } from '../read-model-sets.js';

/** Replays the log into new tables of a read model, and of those that depend on it, and swaps them in. */
export const REBUILD_JOB: JobKind<{ projection: string }> = {
  name: 'rebuild',
  data: z.strictObject({ projection: z.enum(readModelNames()) }),
  attempts: 5,
  firstBackoffMs: 5_000,
  identify: ({ projection }) => findReadModelSet(projection)?.name ?? projection,
  isKept: true,
};
