import { DelayedError, WaitingError, type Job, type Worker } from 'bullmq';
import type { Clock } from '../clock.js';
import { within } from '../deadline.js';
import { messageOf } from '../errors.js';
import type { Logger } from '../logger.js';
import { RareLog } from '../rare-log.js';
import { openWorker } from './bullmq.js';
import { JobInterrupted, JobPostponed } from './job-kind.js';
import type { JobHandlers } from './job-handlers.js';
import { trackProgress } from './job-progress.js';
import type { QueuePlace } from './queue-place.js';

/** Handlers have so long to come to an end when the process stops. */
const DRAIN_MS = 700;

/** Telling the queue that we leave may take so long; then the connection is dropped. */
const CLOSE_MS = 700;

/** A worker that stopped by itself is replaced after this time. */
const REPLACE_MS = 1_000;

/** How often a worker is looked at. */
const WATCH_MS = 5_000;

/** Does the jobs of the queue, as long as the process lives: it connects by itself and outlives what the queue goes through. */
export class JobWorker {
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private readonly complaints: RareLog;
  private worker: Worker<unknown> | undefined;
  private connection: 'opening' | 'ready' | 'broken' = 'opening';
  private supervision: Promise<void> | undefined;

  constructor(
    private readonly place: QueuePlace,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.complaints = new RareLog(clock, logger);
  }

  /** Begins to take jobs; call it when all handlers are known. */
  start(): void {
    this.supervision ??= this.supervise();
  }

  /** Tells the handlers to stop; the first half of {@link stop}, for a process with more to stop. */
  interrupt(): void {
    this.stopping.abort();
  }

  /** Takes 1.5 seconds at most, whatever the queue does. A job that is not done by then is begun again elsewhere. */
  async stop(): Promise<void> {
    this.interrupt();
    const { worker } = this;
    const drained = Promise.allSettled(this.running).then(() => true);
    const isDrained = await within(this.clock, DRAIN_MS, drained, '').catch(() => false);
    // Who does not reach the queue cannot say goodbye to it.
    if (worker) await this.close(worker, !isDrained || this.connection !== 'ready');
    await this.supervision;
  }

  private async supervise(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.worker = this.open();
      await this.watch(this.worker);
      if (signal.aborted) return;
      this.complaints.warn('it does not run', 'the worker of the job queue is replaced');
      await this.close(this.worker, true);
      await this.clock.sleep(REPLACE_MS, signal);
    }
  }

  private open(): Worker<unknown> {
    this.connection = 'opening';
    const worker = openWorker(this.place, (job, token) => this.track(this.process(job, token)));
    worker.on('ioredis:close', () => (this.connection = 'opening'));
    worker.getBackend().on('ready', () => (this.connection = 'ready'));
    worker.on('error', (error) => this.complaints.warn(error, 'the worker of the job queue has trouble'));
    worker.on('stalled', (job) =>
      this.logger.info({ job }, 'a job is taken over from a worker that is gone'),
    );
    worker.on('failed', (job, error) =>
      this.complaints.warn(error, `a job failed: ${job?.name ?? 'it is not in the queue any more'}`),
    );
    return worker;
  }

  /** Ends when the worker can work no more, or the process stops. */
  private async watch(worker: Worker<unknown>): Promise<void> {
    const { signal } = this.stopping;
    // It never becomes ready when the server goes away in the middle of the first greeting. It would ask again and again
    // without a pause, and let nothing else happen in this process, not even a stop.
    worker.waitUntilReady().catch(() => {
      this.connection = 'broken';
      void worker.pause(true);
    });
    do await this.clock.sleep(WATCH_MS, signal);
    while (!signal.aborted && this.connection !== 'broken' && worker.isRunning());
  }

  private track(work: Promise<void>): Promise<void> {
    this.running.add(work);
    return work.finally(() => this.running.delete(work));
  }

  private async process(job: Job<unknown>, token = ''): Promise<void> {
    const progress = trackProgress(job, this.clock);
    try {
      await this.handlers.run(job.name, job.data, { signal: this.stopping.signal, progress: progress.note });
      await progress.finish();
    } catch (error) {
      if (error instanceof JobPostponed) {
        await job.moveToDelayed(this.clock.now() + error.delayMs, token);
        throw new DelayedError();
      }
      if (error instanceof JobInterrupted) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      throw error instanceof Error ? error : new Error(messageOf(error));
    }
  }

  private async close(worker: Worker<unknown>, force: boolean): Promise<void> {
    try {
      await within(this.clock, CLOSE_MS, worker.close(force), 'the queue does not let go');
    } catch (error) {
      this.logger.debug({ reason: messageOf(error) }, 'dropping the connections of the worker');
      const backend = worker.getBackend();
      for (const drop of [backend.close(true), backend.disconnect()]) drop.catch(() => undefined);
    }
  }
}
