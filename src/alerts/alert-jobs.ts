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

/** Checks whether reports are due. The job has no data: a lost or repeated one changes nothing. */
export const REPORTS_JOB: JobKind<Record<string, never>> = {
  ...WATCH_JOB,
  name: 'request-reports',
  schedule: '40 */5 * * * *',
};

/** Sends a report by mail. The next {@link REPORTS_JOB} replaces a lost job. */
export const MAIL_JOB: JobKind<{ readonly chain: string; readonly report: string }> = {
  name: 'mail-report',
  data: z.strictObject({ chain: z.string().max(1_000), report: z.string().max(200) }),
  attempts: 3,
  firstBackoffMs: 5_000,
  identify: ({ report }) => report,
  isKept: false,
  deadlineMs: 60_000,
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
