import { ErrorCode, type Job, type JobState as StoredState, type Queue } from 'bullmq';
import { type Clock, within } from '../clock.js';
import { messageOf } from '../errors.js';
import type { Logger } from '../logger.js';
import { RareLog } from '../rare-log.js';
import { openQueue } from './bullmq.js';
import { identityOf, type JobKind, KEPT_SECONDS, type ScheduledKind, toJobOptions } from './job-kind.js';
import type { QueuePlace } from './queue-place.js';

/** Where a job stands. */
export type JobState = 'WAITING' | 'DELAYED' | 'ACTIVE' | 'COMPLETED' | 'FAILED';

/** A job as it stands in the queue. Times are Unix milliseconds. */
export interface JobView {
  readonly id: string;
  readonly name: string;
  readonly state: JobState;
  readonly data: unknown;
  /** From 0 to 1; null before it is known. */
  readonly progress: number | null;
  /** How often it was begun. */
  readonly attempts: number;
  /** Why the last try failed. */
  readonly failedReason: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

/** What the queue says of itself. */
export interface QueueState {
  readonly backend: 'postgres' | 'redis';
  readonly state: 'reachable' | 'unreachable';
  readonly reason?: string;
  /** Jobs in each state, without those that a schedule has made for later; only while it is reachable. */
  readonly jobs?: Readonly<Record<'waiting' | 'delayed' | 'active' | 'failed', number>>;
  /** What it begins by itself, with the seconds until then; only while it is reachable. */
  readonly schedules?: readonly { readonly name: string; readonly nextSeconds: number }[];
  /** Some of the jobs that are being done; only while it is reachable. */
  readonly active?: readonly Pick<JobView, 'id' | 'name' | 'progress'>[];
}

/** The queue does not answer, or cannot take anything at the moment. Asking again later may help. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}

/** Nothing that is asked of the queue takes longer. */
const DEADLINE_MS = 2_000;
/** Closing takes no longer; then the end of the process closes what is left. */
const CLOSE_MS = 1_000;
/** A queue that could not even be opened is opened anew after this time at the earliest. */
const REOPEN_MS = 1_000;
/** A scheduled job that is overdue by so long was lost on its way, or no worker is there. */
const OVERDUE_MS = 60_000;
/** Schedules, and jobs under way, that are looked at. */
const MOST_SHOWN = 20;
/** Ended jobs of a state that are dropped at once: all that can be there. */
const MOST_DROPPED = 10_000;

/** What BullMQ throws when the next job of a schedule is there already. */
const IS_THERE: readonly unknown[] = [ErrorCode.SchedulerJobSlotsBusy, ErrorCode.SchedulerJobIdCollision];

const STATE_OF: Readonly<Record<StoredState, JobState>> = {
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
  private queue: Queue<unknown> | undefined;
  private openedAt = -Infinity;
  private closing: Promise<void> | undefined;
  private readonly complaints: RareLog;

  constructor(
    private readonly place: QueuePlace,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.complaints = new RareLog(clock, logger);
  }

  /**
   * Adds a job, unless one of the same identity is waiting or being done.
   * @returns the id of the job, or of the one that is there
   * @throws QueueUnavailable; the job may be added all the same
   */
  async add<Data>(kind: JobKind<Data>, data: Data): Promise<string> {
    const job = await this.ask((queue) => queue.add(kind.name, data, toJobOptions(kind, data)));
    return job.id ?? '';
  }

  /**
   * The job of the same identity that waits or is being done.
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
      // In this order: a job that ends in between is shown with why, and not as ended without it.
      const state = await queue.getJobState(id);
      return toView(await queue.getJob(id), state);
    });
  }

  /**
   * Jobs in any of the states, the newest first.
   * @throws QueueUnavailable
   */
  list(states: readonly JobState[], first: number): Promise<JobView[]> {
    const stored = Object.keys(STATE_OF) as StoredState[];
    return this.ask(async (queue) => {
      const lists = await Promise.all(
        stored
          .filter((state) => states.includes(STATE_OF[state]))
          .map(async (state) => {
            const jobs = await queue.getJobs([state], 0, first - 1 + MOST_SHOWN);
            // A job that ends while the list is read leaves a hole in it.
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
   * Puts a failed job into the queue again, with all its tries before it.
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
   * Lets the queue begin jobs of these kinds by itself.
   * @param how `anew`: as this release has it; `where missing`: only what is not there or does not go on, since another
   * release may have it otherwise
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
   * Drops ended jobs that are shown no more. BullMQ itself does so only when another job of the kind ends.
   * @throws QueueUnavailable
   */
  async dropOld(): Promise<void> {
    for (const state of ['completed', 'failed'] as const) {
      await this.ask((queue) => queue.clean(KEPT_SECONDS[state] * 1_000, MOST_DROPPED, state));
    }
  }

  /** Asks the queue how it is; never throws. */
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

  /** Takes one second at most. */
  close(): Promise<void> {
    this.closing ??= this.queue === undefined ? Promise.resolve() : this.discard(this.queue);
    return this.closing;
  }

  private async ask<T>(work: (queue: Queue<unknown>) => Promise<T>): Promise<T> {
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

  private open(): Queue<unknown> {
    if (this.closing) throw new Error('the queue is closed');
    if (this.queue !== undefined) return this.queue;
    const now = this.clock.monotonic();
    if (now - this.openedAt < REOPEN_MS) throw new Error('the queue could not be opened');
    this.openedAt = now;
    const queue = openQueue(this.place);
    this.queue = queue;
    queue.on('error', (error) => this.complaints.warn(error, 'the job queue has trouble'));
    // A server that goes away in the middle of the first greeting leaves a queue behind that never works.
    queue.waitUntilReady().catch(() => {
      if (this.queue !== queue) return;
      this.queue = undefined;
      void this.discard(queue);
    });
    return queue;
  }

  /** Nothing of a producer is under way that would be worth a polite goodbye, which a hung server never answers. */
  private async discard(queue: Queue<unknown>): Promise<void> {
    await within(this.clock, CLOSE_MS, queue.getBackend().close(true), '').catch(() => undefined);
  }
}

/** Whether a schedule has made this job, for a time that has not come. */
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
    // BullMQ begins with 0, which says nothing.
    progress: typeof job.progress === 'number' && job.progress > 0 ? job.progress : null,
    attempts: job.attemptsStarted,
    failedReason: job.failedReason ?? null,
    createdAt: job.timestamp,
    startedAt: job.processedOn ?? null,
    finishedAt: job.finishedOn ?? null,
  };
}
