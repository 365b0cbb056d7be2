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
import type { Loop } from '../loops/loop.js';
import { LoopDirectory } from '../loops/loop-directory.js';
import { LoopsModule } from '../loops/loops.module.js';
import { JobHandlers } from './job-handlers.js';
import { JobQueue } from './job-queue.js';
import { scheduleJobs } from './job-schedules.js';
import { JobWorker } from './job-worker.js';
import type { QueuePlace } from './queue-place.js';

/** What the composition root gives the queue. */
export interface QueuesOptions {
  readonly place: QueuePlace;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether this process does jobs; else it only adds and shows them. */
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
    this.worker = new JobWorker(place, handlers, clock, logger, loops);
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

/** The job queue, for every stage. */
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
