import { z } from 'zod';
import type { JobKind } from '../../platform/queues/job-kind.js';

/**
 * Drops what is shown for a time and then no more. That is jobs that have ended, why rebuilds failed that are no longer
 * tried, and most change numbers of more than five weeks ago.
 */
export const CLEAN_UP_JOB: JobKind<Record<string, never>> = {
  name: 'clean-up',
  data: z.strictObject({}),
  attempts: 1,
  firstBackoffMs: 1_000,
  identify: () => '',
  isKept: false,
  deadlineMs: 60_000,
  // At an hour at which little else begins.
  schedule: '0 37 3 * * *',
};
