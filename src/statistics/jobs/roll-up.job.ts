import { z } from 'zod';
import type { JobKind } from '../../platform/queues/job-kind.js';

/** A doorbell: there are marks. It carries nothing, so that one that is lost or rung twice changes nothing. */
export const ROLL_UP_JOB: JobKind<Record<string, never>> = {
  name: 'roll-up',
  data: z.strictObject({}),
  attempts: 5,
  firstBackoffMs: 1_000,
  identify: () => '',
  isKept: false,
};
