import { z } from 'zod';
import type { JobKind } from '../platform/queues/job-kind.js';

/** Checks whether alerts begin or end. The job has no data: a lost or repeated one changes nothing. */
export const WATCH_JOB: JobKind<Record<string, never>> = {
  name: 'watch-alerts',
  data: z.strictObject({}),
  attempts: 1,
  firstBackoffMs: 1_000,
  identify: () => '',
  isKept: false,
  deadlineMs: 60_000,
  schedule: '*/10 * * * * *',
};

/** Sends a notice to a destination. The next {@link WATCH_JOB} replaces a lost job. */
export const DELIVER_JOB: JobKind<{ readonly notice: string; readonly destination: string }> = {
  name: 'deliver-alert',
  data: z.strictObject({ notice: z.string().max(200), destination: z.string().max(64) }),
  attempts: 3,
  firstBackoffMs: 5_000,
  identify: ({ notice, destination }) => `${notice} ${destination}`,
  isKept: false,
  deadlineMs: 60_000,
};
