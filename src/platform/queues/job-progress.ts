import type { Job } from 'bullmq';
import type { Clock } from '../clock.js';

/** Progress is written down so often at most. */
const EVERY_MS = 1_000;

/** Passes a job's progress on to the queue. A progress that cannot be written is no failure of the job. */
export function trackProgress(
  job: Pick<Job<unknown>, 'updateProgress'>,
  clock: Clock,
): { note: (share: number) => void; finish: () => Promise<void> } {
  let writtenAt = -Infinity;
  let noted: number | undefined;
  let written: number | undefined;
  let writing: Promise<void> | undefined;
  const write = (): Promise<void> => {
    writtenAt = clock.monotonic();
    written = noted;
    writing ??= job
      .updateProgress(noted ?? 0)
      .catch(() => undefined)
      .finally(() => (writing = undefined));
    return writing;
  };
  return {
    note: (share) => {
      noted = Math.round(Math.min(Math.max(share, 0), 1) * 10_000) / 10_000;
      if (writing === undefined && clock.monotonic() - writtenAt >= EVERY_MS) void write();
    },
    // What is under way must not arrive after the job's end.
    finish: async () => {
      await writing;
      if (noted !== written) await write();
    },
  };
}
