import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Global,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import { LoopDirectory } from '../loops/loop-directory.js';
import { LoopsModule } from '../loops/loops.module.js';
import { JobHandlers } from './job-handlers.js';
import { JobQueue } from './job-queue.js';
import { JobSchedules } from './job-schedules.js';
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
@Injectable()
class QueueLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    private readonly queue: JobQueue,
    @Optional() @Inject(JobWorker) private readonly worker: JobWorker | null,
    @Optional() @Inject(JobSchedules) private readonly schedules: JobSchedules | null,
  ) {}

  onApplicationBootstrap(): void {
    this.worker?.start();
    this.schedules?.start();
  }

  beforeApplicationShutdown(): void {
    this.worker?.interrupt();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.worker?.stop(), this.schedules?.stop(), this.queue.close()]);
  }
}

/** The job queue, for every stage. */
@Global()
@Module({})
export class QueuesModule {
  static forRoot({ place, clock, logger, works }: QueuesOptions): DynamicModule {
    return {
      module: QueuesModule,
      imports: [LoopsModule],
      providers: [
        JobHandlers,
        { provide: JobQueue, useFactory: () => new JobQueue(place, clock, logger) },
        ...(works
          ? [
              {
                provide: JobWorker,
                inject: [JobHandlers, LoopDirectory],
                useFactory: (handlers: JobHandlers, loops: LoopDirectory) =>
                  new JobWorker(place, handlers, clock, logger, loops),
              },
              {
                provide: JobSchedules,
                inject: [JobQueue, JobHandlers, LoopDirectory],
                useFactory: (queue: JobQueue, handlers: JobHandlers, loops: LoopDirectory) =>
                  new JobSchedules(queue, handlers, loops, { clock, logger }),
              },
            ]
          : []),
        QueueLifecycle,
      ],
      exports: [JobHandlers, JobQueue],
    };
  }
}
