import { Inject, Injectable, Optional } from '@nestjs/common';
import { Database } from '../../platform/sql.js';
import { millisToNanos, type Nanos, nanosToMicros } from '../../domain/time.js';
import { EventStore } from '../../event-log/event-store.js';
import type { JobKind } from '../../platform/queues/job-kind.js';
import {
  JobQueue,
  type JobView,
  type QueuedJobState,
  QueueUnavailable,
} from '../../platform/queues/job-queue.js';
import { withSlot } from '../../platform/reads/read-request.js';
import { WeightedSemaphore } from '../../platform/reads/weighted-semaphore.js';
import { recordJobRequest, type JobRequest } from '../../statistics/jobs/job-requests.js';
import { REBUILD_JOB } from '../../statistics/jobs/rebuild.job.js';
import { RECOMPUTE_JOB } from '../../statistics/jobs/recompute-statistics.job.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError, badUserInput, tooMany } from '../errors.js';
import { LARGEST_PAGE } from '../graphql/connection.js';
import type { Job } from './job.type.js';
import { requireKnownNames } from '../../statistics/read/known-names.query.js';

export interface RecomputeRequest {
  readonly chain: string | null;
  readonly from: Nanos | null;
  readonly to: Nanos | null;
}

/** Limit of waiting requests. Requests for jobs are handled one at a time, so that equal requests find the first one. */
const MOST_WAITING = 50;

/** Recorded name of the request to run a failed job again. */
const RETRY = 'retry';

/**
 * Reads and changes the job queue. A change is first recorded, with its author (`by`). Every method throws ApiError UNAVAILABLE
 * if the queue does not answer.
 */
@Injectable()
export class JobsService {
  private readonly turns = new WeightedSemaphore(1, {
    mostWaiting: MOST_WAITING,
    full: () => tooMany('Too many jobs are being requested; try again in a moment.'),
  });

  constructor(
    private readonly writes: Database,
    // Null in a process that only observes.
    @Optional() @Inject(JobQueue) private readonly queue: JobQueue | null,
    private readonly store: EventStore,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
  ) {}

  /** @throws ApiError BAD_USER_INPUT for more jobs than a page may hold */
  async getJobs(states: readonly QueuedJobState[], first: number): Promise<Job[]> {
    if (first < 1 || first > LARGEST_PAGE) {
      throw badUserInput(`\`first\` must be from 1 to ${LARGEST_PAGE}, and is ${first}.`);
    }
    const jobs = await this.ask((queue) => queue.list(states, first));
    return jobs.map(toJob);
  }

  /** @throws ApiError BAD_USER_INPUT if the time is empty, NOT_FOUND for a chain without a record */
  async recompute({ chain, from, to }: RecomputeRequest, by: string): Promise<Job> {
    if (from !== null && to !== null && from >= to) throw badUserInput('`from` must be before `to`.');
    if (chain !== null) await requireKnownNames(this.writes, { chains: [chain] });
    const range = {
      ...(chain !== null && { chain }),
      ...(from !== null && { from: String(nanosToMicros(from)) }),
      ...(to !== null && { to: String(nanosToMicros(to + 999n)) }),
    };
    return this.request(RECOMPUTE_JOB, range, { arguments: range, chain: range.chain, by });
  }

  /** @throws ApiError BAD_USER_INPUT if there is no such read model */
  async rebuild(projection: string, by: string): Promise<Job> {
    const data = REBUILD_JOB.data.safeParse({ projection });
    if (!data.success) throw badUserInput(`There is no read model ${JSON.stringify(projection)}.`);
    return this.request(REBUILD_JOB, data.data, { arguments: data.data, by });
  }

  /** @throws ApiError NOT_FOUND, or BAD_USER_INPUT if the job has not failed */
  async retry(id: string, by: string): Promise<Job> {
    const { state, name } = await this.find(id);
    const hasFailed = state === 'FAILED';
    if (hasFailed) await this.record({ job: RETRY, arguments: { id, name }, by });
    const isRetried = hasFailed && (await this.ask((queue) => queue.retry(id)));
    if (!isRetried) throw badUserInput(`The job ${JSON.stringify(id)} has not failed.`);
    return this.find(id);
  }

  /** Returns a job of the same identity if one is waiting or running, without recording the request again. */
  private request<Data>(kind: JobKind<Data>, data: Data, request: Omit<JobRequest, 'job'>): Promise<Job> {
    return withSlot(this.turns, async () => {
      const alike = await this.ask((queue) => queue.findAlike(kind, data));
      if (alike !== undefined) return toJob(alike);
      await this.record({ ...request, job: kind.name });
      const id = await this.ask((queue) => queue.add(kind, data));
      return this.find(id);
    });
  }

  /** Undefined if there is no such job, or if this process has no queue. */
  async findJob(id: string): Promise<Job | undefined> {
    const job = this.queue && (await this.ask((queue) => queue.find(id)));
    return job ? toJob(job) : undefined;
  }

  private async record(request: JobRequest): Promise<void> {
    this.requireQueue();
    await recordJobRequest({ store: this.store, clock: this.options.clock }, request);
  }

  private async find(id: string): Promise<Job> {
    const job = await this.ask((queue) => queue.find(id));
    if (job === undefined) throw new ApiError('NOT_FOUND', `There is no job ${JSON.stringify(id)}.`);
    return toJob(job);
  }

  private requireQueue(): JobQueue {
    if (this.queue) return this.queue;
    throw new ApiError(
      'UNAVAILABLE',
      'This process only observes; send the request to a process with the role api, worker or all.',
    );
  }

  private async ask<T>(work: (queue: JobQueue) => Promise<T>): Promise<T> {
    const queue = this.requireQueue();
    try {
      return await work(queue);
    } catch (error) {
      if (!(error instanceof QueueUnavailable)) throw error;
      throw new ApiError('UNAVAILABLE', 'The job queue does not answer; try again later.');
    }
  }
}

function toJob(job: JobView): Job {
  return {
    ...job,
    createdAt: millisToNanos(job.createdAt),
    startedAt: job.startedAt === null ? null : millisToNanos(job.startedAt),
    finishedAt: job.finishedAt === null ? null : millisToNanos(job.finishedAt),
  };
}
