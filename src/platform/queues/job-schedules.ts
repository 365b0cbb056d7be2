import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import { Loop } from '../loops/loop.js';
import type { LoopDirectory } from '../loops/loop-directory.js';
import { RareLog } from '../rare-log.js';
import type { JobHandlers } from './job-handlers.js';
import type { JobQueue } from './job-queue.js';

/** How often it is looked whether the queue still has the schedules. */
const LOOK_EVERY_MS = 60_000;

/** While the queue cannot be asked, the first pause; it doubles up to the one above. */
const FIRST_RETRY_MS = 1_000;

/**
 * Gives the queue the schedules of what it begins by itself: at the start, and again where it has lost one, as a Redis does
 * that was flushed.
 */
export class JobSchedules {
  private readonly loop: Loop;
  private isGiven = false;

  constructor(
    private readonly queue: JobQueue,
    private readonly handlers: JobHandlers,
    private readonly loops: LoopDirectory,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    const complaints = new RareLog(clock, logger);
    this.loop = new Loop(
      {
        name: 'job-schedules',
        turn: () => this.give(),
        onFailure: (error) => complaints.warn(error, 'the queue cannot be given its schedules'),
      },
      { clock, backoff: { firstMs: FIRST_RETRY_MS, longestMs: LOOK_EVERY_MS } },
    );
  }

  /** Call it when all handlers are known. */
  start(): void {
    this.loops.start(this.loop);
  }

  async stop(): Promise<void> {
    await this.loops.stop(this.loop);
  }

  private async give(): Promise<number> {
    await this.queue.schedule(this.handlers.scheduled, this.isGiven ? 'where missing' : 'anew');
    this.isGiven = true;
    return LOOK_EVERY_MS;
  }
}
