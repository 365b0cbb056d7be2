import { z } from 'zod';
import type { JobKind } from '../../platform/queues/job-kind.js';

const micros = z.string().regex(/^-?\d{1,19}$/);

/** The range to compute again: everything, unless a chain or a time is given. */
const recomputeRange = z.strictObject({
  chain: z.string().min(1).max(200).optional(),
  /** Unix microseconds, in digits; inclusive. */
  from: micros.optional(),
  /** Unix microseconds, in digits; exclusive. */
  to: micros.optional(),
});

export type RecomputeRange = z.infer<typeof recomputeRange>;

export const RECOMPUTE_JOB: JobKind<RecomputeRange> = {
  name: 'recompute-statistics',
  data: recomputeRange,
  attempts: 5,
  firstBackoffMs: 5_000,
  identify: ({ chain, from, to }) => JSON.stringify([chain ?? null, from ?? null, to ?? null]),
  isKept: true,
};
