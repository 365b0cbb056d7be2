import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Global,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import { LoopDirectory, Loop } from '../loops/loop.js';
import { LoopsModule } from '../loops/loops.module.js';
import { RareLog } from '../rare-log.js';
import { JobHandlers } from './job-kind.js';
import { JobQueue } from './job-queue.js';
import { JobWorker } from './job-worker.js';
import type { QueueLocation } from './queue-location.js';

/** The schedules in the queue are checked at the first pace, and at the second while the queue does not answer. */
const LOOK_EVERY_MS = 60_000;
const FIRST_RETRY_MS = 1_000;
/** Failures are logged from this pause on: a queue that starts a moment later than we do has missed nothing. */
const TOLD_FROM_MS = 8_000;

/**
 * The loop that registers schedules with the queue. First it registers all, then those that the queue has lost, as a flushed
 * Redis does. Start it after all handlers were added.
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
    if (retryInMs >= TOLD_FROM_MS) complaints.warn(error, 'the schedules cannot be stored in the queue');
  };
  const backoff = { firstMs: FIRST_RETRY_MS, longestMs: LOOK_EVERY_MS };
  return new Loop({ name: 'job-schedules', turn, onFailure }, { clock, backoff });
}

interface QueuesOptions {
  readonly place: QueueLocation;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether this process runs jobs; otherwise it only adds and shows them. */
  readonly works: boolean;
}

/** Starts the worker when every stage has added its handlers, and ends both sides with the process. */
class QueueLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly worker: JobWorker | undefined;
  private readonly schedules: Loop | undefined;

  constructor(
    { place, clock, logger, works }: QueuesOptions,
    private readonly queue: JobQueue,
    handlers: JobHandlers,
    private readonly loops: LoopDirectory,
  ) {
    if (!works) return;
    this.worker = new JobWorker(place, handlers, clock, logger);
    this.schedules = scheduleJobs(queue, handlers, clock, logger);
  }

  onApplicationBootstrap(): void {
    this.worker?.start();
    if (this.schedules) this.loops.start(this.schedules);
  }

  beforeApplicationShutdown(): void {
    this.worker?.interrupt();
  }

  async onApplicationShutdown(): Promise<void> {
    const schedules = this.schedules && this.loops.stop(this.schedules);
    await Promise.all([this.worker?.stop(), schedules, this.queue.close()]);
  }
}

@Global()
@Module({})
export class QueuesModule {
  static forRoot(options: QueuesOptions): DynamicModule {
    const { place, clock, logger } = options;
    return {
      module: QueuesModule,
      imports: [LoopsModule],
      providers: [
        JobHandlers,
        { provide: JobQueue, useFactory: () => new JobQueue(place, clock, logger) },
        {
          provide: QueueLifecycle,
          inject: [JobQueue, JobHandlers, LoopDirectory],
          useFactory: (queue: JobQueue, handlers: JobHandlers, loops: LoopDirectory) =>
            new QueueLifecycle(options, queue, handlers, loops),
        },
      ],
      exports: [JobHandlers, JobQueue],
    };
  }
}
