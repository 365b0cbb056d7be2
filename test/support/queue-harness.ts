import { pino } from 'pino';
import { z } from 'zod';
import { SystemClock } from '../../src/platform/clock.js';
import type { Logger } from '../../src/platform/logger.js';
import { type JobHandler, JobHandlers, type JobKind } from '../../src/platform/queues/job-kind.js';
import { JobQueue, type QueuedJobState, type JobView } from '../../src/platform/queues/job-queue.js';
import { JobWorker } from '../../src/platform/queues/job-worker.js';
import type { QueueLocation } from '../../src/platform/queues/queue-location.js';
import { waitFor } from './service-process.js';

/** Data of the jobs of the tests. */
export interface Greeting {
  readonly to: string;
}

/** A kind of job that is as short-lived as a test. */
export const GREETING: JobKind<Greeting> = {
  name: 'greet',
  data: z.strictObject({ to: z.string() }),
  attempts: 3,
  firstBackoffMs: 100,
  identify: ({ to }) => to,
  isKept: true,
};

/** A queue with any number of workers, like those of processes, and all their log lines. */
export class QueueHarness {
  readonly queue: JobQueue;
  readonly lines: string[] = [];
  private readonly clock = new SystemClock();
  private readonly logger: Logger;
  private readonly queues: JobQueue[] = [];
  private readonly workers: JobWorker[] = [];

  constructor(private readonly place: QueueLocation) {
    this.logger = pino({ level: 'info' }, { write: (line) => void this.lines.push(line) });
    this.queue = this.openQueue();
  }

  openQueue(): JobQueue {
    const queue = new JobQueue(this.place, this.clock, this.logger);
    this.queues.push(queue);
    return queue;
  }

  /** Starts a worker that greets, or runs jobs of another kind. */
  startWorker(handle: JobHandler<Greeting>): JobWorker;
  startWorker<Data>(handle: JobHandler<Data>, kind: JobKind<Data>): JobWorker;
  startWorker(handle: JobHandler<Greeting>, kind: JobKind<Greeting> = GREETING): JobWorker {
    const handlers = new JobHandlers();
    handlers.add(kind, handle);
    const worker = new JobWorker(this.place, handlers, this.clock, this.logger);
    this.workers.push(worker);
    worker.start();
    return worker;
  }

  /** Waits until a job is in a state. */
  waitForState(id: string, state: QueuedJobState): Promise<JobView> {
    return waitFor(`job ${id} to be ${state}`, async () => {
      const job = await this.queue.find(id);
      return job?.state === state ? job : undefined;
    });
  }

  async stop(): Promise<void> {
    await Promise.all(
      [...this.workers, ...this.queues].map((one) => ('stop' in one ? one.stop() : one.close())),
    );
  }
}
