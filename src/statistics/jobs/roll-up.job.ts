import { z } from 'zod';
import type { JobKind } from '../../platform/queues/job-kind.js';

/**
 * Works off the marks that there are. It carries nothing, so that one that is lost or comes twice changes nothing. New marks
 * ask for one at once; those of the schedule find the marks whose job was lost.
 */
export const ROLL_UP_JOB: JobKind<Record<string, never>> = {
  name: 'roll-up',
  data: z.strictObject({}),
  attempts: 5,
  firstBackoffMs: 1_000,
  identify: () => '',
  isKept: false,
  deadlineMs: 60_000,
  schedule: '*/15 * * * * *',
};
