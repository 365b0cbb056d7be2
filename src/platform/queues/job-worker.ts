import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job, WaitingError } from 'bullmq';
import { type Clock, DeadlineError, within } from '../clock.js';
import { messageOf } from '../errors.js';
import type { Logger } from '../logger.js';
import { RareLog } from '../rare-log.js';
import { inSpan } from '../tracing.js';
import { openWorker } from './bullmq.js';
import { type JobHandlers, JobInterrupted, JobPostponed } from './job-kind.js';
import type { QueueLocation } from './queue-location.js';

type BullWorker = ReturnType<typeof openWorker>;

/** Time for handlers to end after they were interrupted. */
const DRAIN_MS = 700;
/** Time limit of an orderly close; after that, the connection is dropped. */
const CLOSE_MS = 700;
/** Pause before a worker is opened again. */
const REPLACE_MS = 1_000;
/** Shortest time between two writes of a job's progress. */
const PROGRESS_MS = 1_000;

/** Runs the jobs of the queue as long as the process lives: it connects by itself and survives outages of the queue. */
export class JobWorker {
  private readonly running = new Set<Promise<void>>();
  private isStopping = false;
  private readonly complaints: RareLog;
  private worker: BullWorker | undefined;

  constructor(
    private readonly place: QueueLocation,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.complaints = new RareLog(clock, logger);
  }

  /** Starts taking jobs; call it after all handlers were added. */
  start(): void {
    this.worker = this.open();
  }

  private open(): BullWorker {
    const worker = openWorker(this.place, (job, token, signal) => {
      const work = this.process(worker, job, token, signal ?? AbortSignal.abort());
      this.running.add(work);
      return work.finally(() => this.running.delete(work));
    });
    worker.on('error', (error) => {
      // Shutdown does not wait for running jobs: the database may be gone before a job is done, and the job restarts elsewhere.
      if (!this.isStopping) this.complaints.warn(error, 'the worker of the job queue has trouble');
    });
    worker.on('stalled', (job) => this.logger.info({ job }, 'taking over a job of a worker that has gone'));
    worker.on('failed', (job, error) =>
      this.complaints.warn(error, `a job failed: ${job?.name ?? 'it is no longer in the queue'}`),
    );
    worker.waitUntilReady().catch(() => this.replace(worker));
    return worker;
  }

  /**
   * Opens a worker in place of one whose first question was refused, as by a busy Redis. BullMQ does not ask it again, and retries
   * everything else without a pause.
   */
  private async replace(worker: BullWorker): Promise<void> {
    await this.close(worker, true);
    await sleep(REPLACE_MS, undefined, { ref: false });
    if (!this.isStopping) this.worker = this.open();
  }

  /** Interrupts the handlers; the first half of {@link stop}, for a process with more to stop. */
  interrupt(): void {
    this.isStopping = true;
    this.worker?.cancelAllJobs();
  }

  /** Takes 1.5 seconds at most, whatever the queue does. A job that is not done by then restarts elsewhere. */
  async stop(): Promise<void> {
    this.interrupt();
    const drained = Promise.allSettled(this.running).then(() => true);
    const isDrained = await within(this.clock, DRAIN_MS, drained, '').catch(() => false);
    if (this.worker) await this.close(this.worker, !isDrained);
  }

  private async process(
    worker: BullWorker,
    job: Job<unknown>,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      if (this.isStopping) throw new JobInterrupted();
      await inSpan(`job ${job.name}`, { 'hindsight.job.attempt': job.attemptsMade + 1 }, () =>
        this.runInTime(worker, job, signal),
      );
    } catch (error) {
      if (error instanceof JobPostponed) {
        // A fraction is an error on Postgres, and the job would fail.
        await job.moveToDelayed(this.clock.now() + Math.ceil(error.delayMs), token);
        throw new DelayedError();
      }
      if (error instanceof JobInterrupted) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      throw error instanceof Error ? error : new Error(messageOf(error));
    }
  }

  private async runInTime(worker: BullWorker, job: Job<unknown>, signal: AbortSignal): Promise<void> {
    const { kind, handle } = this.handlers.find(job.name);
    const progress = noteProgress(job, this.clock);
    const work = handle(job.data, { signal, progress: progress.note }).then(() => progress.finish());
    if (kind.deadlineMs === undefined) return work;
    const complaint = `The job did not finish within ${kind.deadlineMs / 1_000} s.`;
    try {
      await within(this.clock, kind.deadlineMs, work, complaint);
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      worker.cancelJob(job.id ?? '');
      await within(this.clock, DRAIN_MS, work, complaint);
    }
  }

  private async close(worker: BullWorker, force: boolean): Promise<void> {
    const backend = worker.getBackend();
    // A forced close does not end the wait for the next job, whose timer would keep the process alive until that job is due.
    if (force) backend.disconnectBlocking(false).catch(() => undefined);
    try {
      await within(this.clock, CLOSE_MS, worker.close(force), 'the queue does not release the worker');
    } catch (error) {
      this.logger.debug({ reason: messageOf(error) }, 'dropping the connections of the worker');
      for (const drop of [backend.close(true), backend.disconnect()]) drop.catch(() => undefined);
    }
  }
}

/** Writes a job's progress to the queue. A failed write is no failure of the job. */
function noteProgress(job: Pick<Job, 'updateProgress'>, clock: Clock) {
  let writtenAt = -Infinity;
  let last = 0;
  let writing = Promise.resolve();
  const write = (): Promise<void> => {
    writtenAt = clock.monotonic();
    return (writing = writing.then(() => job.updateProgress(last)).catch(() => undefined));
  };
  return {
    note: (share: number): void => {
      last = Math.round(Math.min(Math.max(share, 0), 1) * 10_000) / 10_000;
      if (clock.monotonic() - writtenAt >= PROGRESS_MS) void write();
    },
    /** Writes the last progress, so that no write arrives after the job's end. */
    finish: (): Promise<void> => (last > 0 ? write() : writing),
  };
}
