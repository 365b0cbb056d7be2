import { ErrorCode, type Job, type JobState as StoredState } from 'bullmq';
import { type Clock, within } from '../clock.js';
import { messageOf } from '../errors.js';
import type { Logger } from '../logger.js';
import { RareLog } from '../rare-log.js';
import { openQueue } from './bullmq.js';
import { identityOf, type JobKind, KEPT_SECONDS, type ScheduledKind, toJobOptions } from './job-kind.js';
import type { QueueLocation } from './queue-location.js';

export type QueuedJobState = 'WAITING' | 'DELAYED' | 'ACTIVE' | 'COMPLETED' | 'FAILED';

/** A job in the queue. Times are Unix milliseconds. */
export interface JobView {
  readonly id: string;
  readonly name: string;
  readonly state: QueuedJobState;
  readonly data: unknown;
  /** From 0 to 1; null before it is known. */
  readonly progress: number | null;
  /** The number of times that the job was started. */
  readonly attempts: number;
  readonly failedReason: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

export interface QueueState {
  readonly backend: 'postgres' | 'redis';
  readonly state: 'reachable' | 'unreachable';
  readonly reason?: string;
  /** Jobs per state, without those that a schedule created for later; only while the queue is reachable. */
  readonly jobs?: Readonly<Record<'waiting' | 'delayed' | 'active' | 'failed', number>>;
  /** Schedules with the seconds until their next job; only while the queue is reachable. */
  readonly schedules?: readonly { readonly name: string; readonly nextSeconds: number }[];
  /** Some of the running jobs; only while the queue is reachable. */
  readonly active?: readonly Pick<JobView, 'id' | 'name' | 'progress'>[];
}

/** The queue does not answer, or cannot accept anything at the moment. Retrying later may help. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}

type BullQueue = ReturnType<typeof openQueue>;

/** Time limit of every operation on the queue. */
const DEADLINE_MS = 2_000;
/** Time limit of closing; after that, the end of the process closes what is left. */
const CLOSE_MS = 1_000;
/** A scheduled job that is overdue by this much was lost, or there is no worker. */
const OVERDUE_MS = 60_000;
/** Most schedules, and running jobs, that are read. */
const MOST_SHOWN = 20;
/** Most ended jobs of a state that are dropped at once: more cannot exist. */
const MOST_DROPPED = 10_000;

/** Errors of BullMQ when the next job of a schedule already exists. */
const IS_THERE: readonly unknown[] = [ErrorCode.SchedulerJobSlotsBusy, ErrorCode.SchedulerJobIdCollision];

const STATE_OF: Readonly<Record<StoredState, QueuedJobState>> = {
  waiting: 'WAITING',
  prioritized: 'WAITING',
  'waiting-children': 'WAITING',
  delayed: 'DELAYED',
  active: 'ACTIVE',
  completed: 'COMPLETED',
  failed: 'FAILED',
};

/** The side of the queue that adds jobs and shows them. It connects at its first use and never blocks a caller for long. */
export class JobQueue {
  private queue: BullQueue | undefined;
  private closing: Promise<void> | undefined;
  private readonly complaints: RareLog;

  constructor(
    private readonly place: QueueLocation,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.complaints = new RareLog(clock, logger);
  }

  /**
   * Adds a job, unless one of the same identity waits or runs.
   * @returns the id of the added or existing job
   * @throws QueueUnavailable; the job may have been added anyway
   */
  async add<Data>(kind: JobKind<Data>, data: Data): Promise<string> {
    const job = await this.ask((queue) => queue.add(kind.name, data, toJobOptions(kind, data)));
    return job.id ?? '';
  }

  /**
   * The waiting or running job of the same identity.
   * @throws QueueUnavailable
   */
  async findAlike<Data>(kind: JobKind<Data>, data: Data): Promise<JobView | undefined> {
    const id = await this.ask((queue) => queue.getDeduplicationJobId(identityOf(kind, data)));
    const job = id === null ? undefined : await this.find(id);
    return job?.state === 'COMPLETED' || job?.state === 'FAILED' ? undefined : job;
  }

  /** @throws QueueUnavailable */
  find(id: string): Promise<JobView | undefined> {
    return this.ask(async (queue) => {
      // State first: a job that ends in between is never shown as failed without its reason.
      const state = await queue.getJobState(id);
      return toView(await queue.getJob(id), state);
    });
  }

  /**
   * Jobs in any of the states, the newest first.
   * @throws QueueUnavailable
   */
  list(states: readonly QueuedJobState[], first: number): Promise<JobView[]> {
    const stored = Object.keys(STATE_OF) as StoredState[];
    return this.ask(async (queue) => {
      const lists = await Promise.all(
        stored
          .filter((state) => states.includes(STATE_OF[state]))
          .map(async (state) => {
            const jobs = await queue.getJobs([state], 0, first - 1 + MOST_SHOWN);
            // A job that ends while the list is read leaves an empty entry.
            return jobs.flatMap((job) => (isForLater(job, state) ? [] : (toView(job, state) ?? [])));
          }),
      );
      return lists
        .flat()
        .toSorted((a, b) => b.createdAt - a.createdAt || Number(b.id) - Number(a.id))
        .slice(0, first);
    });
  }

  /**
   * Puts a failed job into the queue again, with its full number of tries.
   * @returns false when the job has not failed
   * @throws QueueUnavailable
   */
  retry(id: string): Promise<boolean> {
    return this.ask(async (queue) => {
      const job = await queue.getJob(id);
      if (!job || (await job.getState()) !== 'failed') return false;
      await job.retry('failed', { resetAttemptsMade: true });
      return true;
    });
  }

  /**
   * Registers the schedules of these kinds with the queue.
   * @param how `anew`: all, as this release defines them; `where missing`: only those that are missing or do not run, since
   * another release may define the others differently
   * @throws QueueUnavailable
   */
  async schedule(kinds: readonly ScheduledKind[], how: 'anew' | 'where missing'): Promise<void> {
    await this.ask(async (queue) => {
      const schedulers = how === 'anew' ? [] : await queue.getJobSchedulers(0, MOST_SHOWN - 1);
      const going = schedulers.filter(({ next }) => (next ?? 0) >= this.clock.now() - OVERDUE_MS);
      const names = new Set(going.map(({ key }) => key));
      for (const { name, schedule } of kinds.filter((kind) => !names.has(kind.name))) {
        const opts = { attempts: 1, removeOnComplete: true, removeOnFail: true };
        await queue
          .upsertJobScheduler(name, { pattern: schedule, tz: 'UTC' }, { name, data: {}, opts })
          .catch((error: unknown) => {
            if (!IS_THERE.includes((error as { code?: unknown }).code)) throw error;
          });
      }
    });
  }

  /**
   * Drops ended jobs that are no longer shown. BullMQ itself does so only when another job of the kind ends.
   * @throws QueueUnavailable
   */
  async dropOld(): Promise<void> {
    for (const state of ['completed', 'failed'] as const) {
      await this.ask((queue) => queue.clean(KEPT_SECONDS[state] * 1_000, MOST_DROPPED, state));
    }
  }

  /** Reads the state of the queue; never throws. */
  async getState(): Promise<QueueState> {
    const { backend } = this.place;
    try {
      const [counts, schedulers, jobs] = await this.ask((queue) =>
        Promise.all([
          queue.getJobCounts('waiting', 'delayed', 'active', 'failed'),
          queue.getJobSchedulers(0, MOST_SHOWN - 1, true),
          queue.getJobs(['active'], 0, MOST_SHOWN - 1),
        ]),
      );
      const { waiting = 0, delayed = 0, active = 0, failed = 0 } = counts;
      const now = this.clock.now();
      return {
        backend,
        state: 'reachable',
        // Each schedule has its next job among the delayed ones.
        jobs: { waiting, delayed: Math.max(0, delayed - schedulers.length), active, failed },
        schedules: schedulers.map(({ key, next = now }) => ({
          name: key,
          nextSeconds: Math.round((next - now) / 100) / 10,
        })),
        active: jobs
          .flatMap((job) => toView(job, 'active') ?? [])
          .map(({ id, name, progress }) => ({ id, name, progress })),
      };
    } catch (error) {
      return { backend, state: 'unreachable', reason: messageOf(error) };
    }
  }

  /** Takes one second at most: a producer has nothing under way, and a hung server never answers an orderly close. */
  close(): Promise<void> {
    const closed = this.queue?.getBackend().close(true) ?? Promise.resolve();
    this.closing ??= within(this.clock, CLOSE_MS, closed, '').catch(() => undefined);
    return this.closing;
  }

  private async ask<T>(work: (queue: BullQueue) => Promise<T>): Promise<T> {
    try {
      const queue = this.open();
      const answer = queue.waitUntilReady().then(() => work(queue));
      return await within(
        this.clock,
        DEADLINE_MS,
        answer,
        `The job queue did not answer within ${DEADLINE_MS} ms.`,
      );
    } catch (error) {
      throw new QueueUnavailable(`The job queue cannot be used: ${messageOf(error)}`, { cause: error });
    }
  }

  private open(): BullQueue {
    if (this.closing) throw new Error('the queue is closed');
    this.queue ??= openQueue(this.place).on('error', (error) =>
      this.complaints.warn(error, 'the job queue has trouble'),
    );
    return this.queue;
  }
}

/** Whether a schedule created this job for a later time. */
function isForLater(job: Job<unknown> | undefined, state: StoredState): boolean {
  return state === 'delayed' && job?.repeatJobKey !== undefined;
}

function toView(job: Job<unknown> | undefined, state: StoredState | 'unknown'): JobView | undefined {
  if (job?.id === undefined || state === 'unknown') return undefined;
  return {
    id: job.id,
    name: job.name,
    state: STATE_OF[state],
    data: job.data,
    // BullMQ starts with 0, which means nothing.
    progress: typeof job.progress === 'number' && job.progress > 0 ? job.progress : null,
    attempts: job.attemptsStarted,
    failedReason: job.failedReason ?? null,
    createdAt: job.timestamp,
    startedAt: job.processedOn ?? null,
    finishedAt: job.finishedOn ?? null,
  };
}
