import { DelayedError, WaitingError, type Job, type Worker } from 'bullmq';
import type { Clock } from '../clock.js';
import { DeadlineError, within } from '../deadline.js';
import { messageOf } from '../errors.js';
import type { Logger } from '../logger.js';
import { Loop } from '../loops/loop.js';
import type { LoopDirectory } from '../loops/loop-directory.js';
import { RareLog } from '../rare-log.js';
import { openWorker } from './bullmq.js';
import { JobInterrupted, JobPostponed, type JobContext } from './job-kind.js';
import type { JobHandlers } from './job-handlers.js';
import { trackProgress } from './job-progress.js';
import type { QueuePlace } from './queue-place.js';

/** Handlers have so long to come to an end when they are told to. */
const DRAIN_MS = 700;

/** Telling the queue that we leave may take so long; then the connection is dropped. */
const CLOSE_MS = 700;

/** A worker that stopped by itself is replaced after this time. */
const REPLACE_MS = 1_000;

/** How often a worker is looked at. */
const WATCH_MS = 5_000;

/** Does the jobs of the queue, as long as the process lives: it connects by itself and outlives what the queue goes through. */
export class JobWorker {
  /** The jobs under way, and what tells each of them to end. */
  private readonly running = new Map<Promise<void>, AbortController>();
  private isStopping = false;
  private readonly complaints: RareLog;
  private readonly loop: Loop;
  private worker: Worker<unknown> | undefined;
  private connection: 'opening' | 'ready' | 'broken' = 'opening';

  constructor(
    private readonly place: QueuePlace,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly loops: LoopDirectory,
  ) {
    this.complaints = new RareLog(clock, logger);
    this.loop = new Loop(
      { name: 'job-worker', turn: () => this.supervise() },
      { clock, backoff: { firstMs: REPLACE_MS, longestMs: WATCH_MS } },
    );
  }

  /** Begins to take jobs; call it when all handlers are known. */
  start(): void {
    this.loops.start(this.loop);
  }

  /** Tells the handlers to stop; the first half of {@link stop}, for a process with more to stop. */
  interrupt(): void {
    this.isStopping = true;
    for (const ending of this.running.values()) ending.abort();
    this.loop.end();
  }

  /** Takes 1.5 seconds at most, whatever the queue does. A job that is not done by then is begun again elsewhere. */
  async stop(): Promise<void> {
    this.interrupt();
    const drained = Promise.allSettled(this.running.keys()).then(() => true);
    const [isDrained] = await Promise.all([
      within(this.clock, DRAIN_MS, drained, '').catch(() => false),
      this.loops.stop(this.loop),
    ]);
    // Who does not reach the queue cannot say goodbye to it.
    if (this.worker) await this.close(this.worker, !isDrained || this.connection !== 'ready');
  }

  /** Opens the worker, or replaces it when it can work no more. @returns milliseconds until the next look at it */
  private async supervise(): Promise<number> {
    const { worker } = this;
    if (worker === undefined) {
      this.worker = this.open();
      return WATCH_MS;
    }
    if (this.connection !== 'broken' && worker.isRunning()) return WATCH_MS;
    this.complaints.warn('it does not run', 'the worker of the job queue is replaced');
    this.worker = undefined;
    await this.close(worker, true);
    return REPLACE_MS;
  }

  private open(): Worker<unknown> {
    this.connection = 'opening';
    const worker = openWorker(this.place, (job, token) => this.take(job, token));
    worker.on('ioredis:close', () => (this.connection = 'opening'));
    worker.getBackend().on('ready', () => (this.connection = 'ready'));
    worker.on('error', (error) => {
      // Whoever stops waits for nobody: the database may be gone before a job is done, which is begun again elsewhere.
      if (!this.isStopping) this.complaints.warn(error, 'the worker of the job queue has trouble');
    });
    worker.on('stalled', (job) =>
      this.logger.info({ job }, 'a job is taken over from a worker that is gone'),
    );
    worker.on('failed', (job, error) =>
      this.complaints.warn(error, `a job failed: ${job?.name ?? 'it is not in the queue any more'}`),
    );
    // It never becomes ready when the server goes away in the middle of the first greeting. It would ask again and again
    // without a pause, and let nothing else happen in this process, not even a stop.
    worker.waitUntilReady().catch(() => {
      if (this.worker === worker) this.connection = 'broken';
      void worker.pause(true);
    });
    return worker;
  }

  private take(job: Job<unknown>, token: string | undefined): Promise<void> {
    const ending = new AbortController();
    if (this.isStopping) ending.abort();
    const work = this.process(job, token, ending);
    this.running.set(work, ending);
    return work.finally(() => this.running.delete(work));
  }

  private async process(
    job: Job<unknown>,
    token: string | undefined,
    ending: AbortController,
  ): Promise<void> {
    const progress = trackProgress(job, this.clock);
    try {
      await this.runInTime(job, progress.note, ending);
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

  private async runInTime(
    { name, data }: Job<unknown>,
    progress: JobContext['progress'],
    ending: AbortController,
  ): Promise<void> {
    const deadlineMs = this.handlers.deadlineOf(name);
    const work = this.handlers.run(name, data, { signal: ending.signal, progress });
    if (deadlineMs === undefined) return work;
    const complaint = `It was not done within ${deadlineMs / 1_000} s.`;
    try {
      await within(this.clock, deadlineMs, work, complaint);
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      ending.abort();
      await within(this.clock, DRAIN_MS, work, complaint);
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
