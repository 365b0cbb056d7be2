import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import { Loop } from '../loops/loop.js';
import { RareLog } from '../rare-log.js';
import type { JobHandlers } from './job-handlers.js';
import type { JobQueue } from './job-queue.js';

/** How often it is looked whether the queue still has the schedules, and how soon while it cannot be asked. */
const LOOK_EVERY_MS = 60_000;
const FIRST_RETRY_MS = 1_000;
/** From this pause on it is told of: a queue that comes a moment later than we do has missed nothing. */
const TOLD_FROM_MS = 8_000;

/**
 * The loop that gives the queue the schedules of what it begins by itself. First it gives all, then those that the
 * queue has lost, as a Redis does that was flushed. Start it when all handlers are known.
 */
export function scheduleJobs(queue: JobQueue, handlers: JobHandlers, clock: Clock, logger: Logger): Loop {
  const complaints = new RareLog(clock, logger);
  let how: 'anew' | 'where missing' = 'anew';
  const turn = async (): Promise<number> => {
    await queue.schedule(handlers.scheduled, how);
    how = 'where missing';
    return LOOK_EVERY_MS;
  };
  const onFailure = (error: unknown, retryInMs: number): void => {
    if (retryInMs >= TOLD_FROM_MS) complaints.warn(error, 'the queue cannot be given its schedules');
  };
  const backoff = { firstMs: FIRST_RETRY_MS, longestMs: LOOK_EVERY_MS };
  return new Loop({ name: 'job-schedules', turn, onFailure }, { clock, backoff });
}
