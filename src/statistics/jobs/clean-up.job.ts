import { z } from 'zod';
import type { JobKind } from '../../platform/queues/job-kind.js';

/**
 * Drops data that is shown only for a time: ended jobs, failure reasons of rebuilds that are no longer tried, and most change
 * numbers older than five weeks.
 */
export const CLEAN_UP_JOB: JobKind<Record<string, never>> = {
  name: 'clean-up',
  data: z.strictObject({}),
  attempts: 1,
  firstBackoffMs: 1_000,
  identify: () => '',
  isKept: false,
  deadlineMs: 60_000,
  // At an hour when little else starts.
  schedule: '0 37 3 * * *',
};
