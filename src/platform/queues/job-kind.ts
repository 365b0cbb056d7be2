import type { JobsOptions } from 'bullmq';
import type { z } from 'zod';

interface Entry {
  readonly kind: JobKind;
  readonly handle: JobHandler<unknown>;
}

/** The job handlers of this process, by job name. Every stage adds its own. */
export class JobHandlers {
  private readonly entries = new Map<string, Entry>();

  /** @throws when the name is taken */
  add<Data>(kind: JobKind<Data>, handle: JobHandler<Data>): void {
    if (this.entries.has(kind.name)) throw new Error(`There are two handlers for ${kind.name}.`);
    const handleAny: JobHandler<unknown> = async (given, context) => {
      const { data, error } = kind.data.safeParse(given);
      if (error) throw new Error(`The data of the job is not as expected: ${error.message}`);
      await handle(data, context);
    };
    this.entries.set(kind.name, { kind: kind as JobKind, handle: handleAny });
  }

  get scheduled(): ScheduledKind[] {
    return [...this.entries.values()].map(({ kind }) => kind).filter(isScheduled);
  }

  /**
   * The kind of a job and its handler, which throws when the data are invalid.
   * @throws when this version does not know the job
   */
  find(name: string): Entry {
    const entry = this.entries.get(name);
    if (entry === undefined) throw new Error(`This version does not know the job ${JSON.stringify(name)}.`);
    return entry;
  }
}

function isScheduled(kind: JobKind): kind is ScheduledKind {
  return kind.schedule !== undefined;
}

const DAY_SECONDS = 24 * 3_600;

export interface JobKind<Data = unknown> {
  readonly name: string;
  /** Schema of the job's data, when the job is added and again when it runs: another version may have added it. */
  readonly data: z.ZodType<Data>;
  /** Tries before the job is shown as failed. */
  readonly attempts: number;
  /** Pause before the second try; each further one is twice as long. */
  readonly firstBackoffMs: number;
  /** Jobs of the same identity are one job while it waits or runs. */
  readonly identify: (data: Data) => string;
  /** Whether completed jobs are shown for a week; failed jobs always are, for a month. */
  readonly isKept: boolean;
  /** After this time the job's signal is aborted, and the job fails unless it ends soon. Left out where hours are fine. */
  readonly deadlineMs?: number;
  /**
   * Cron pattern with seconds, UTC, by which the queue starts a job without data. The job is tried once, since the next one
   * follows, and is not kept.
   */
  readonly schedule?: string;
}

export type ScheduledKind = JobKind & { readonly schedule: string };

/** Ended jobs are shown this long, in seconds. */
export const KEPT_SECONDS = { completed: 7 * DAY_SECONDS, failed: 30 * DAY_SECONDS } as const;

export function identityOf<Data>(kind: JobKind<Data>, data: Data): string {
  return `${kind.name} ${kind.identify(data)}`.trim();
}

/** Options for adding a job to BullMQ. Ages, not counts: on Postgres a count makes every completion slow. */
export function toJobOptions<Data>(kind: JobKind<Data>, data: Data): JobsOptions {
  return {
    attempts: kind.attempts,
    backoff: { type: 'exponential', delay: kind.firstBackoffMs },
    deduplication: { id: identityOf(kind, data) },
    removeOnComplete: kind.isKept ? { age: KEPT_SECONDS.completed } : true,
    removeOnFail: { age: KEPT_SECONDS.failed, count: 1_000 },
  };
}

export interface JobContext {
  /**
   * Aborted at the deadline, and when the process stops: then throw {@link JobInterrupted} soon, and another worker restarts the
   * job.
   */
  readonly signal: AbortSignal;
  /** Reports progress from 0 to 1. Cheap to call often. */
  readonly progress: (share: number) => void;
}

/**
 * Runs a job. Running it twice, even at the same time, must be harmless: a worker that hung or was cut off does not know that its
 * job was given to another.
 */
export type JobHandler<Data> = (data: Data, context: JobContext) => Promise<void>;

/** The process stops before the job is done. */
export class JobInterrupted extends Error {
  override readonly name = 'JobInterrupted';

  constructor() {
    super('The worker was stopped; another worker will start this job again.');
  }
}

/** Another process does the same work. The job is tried again later, which does not count as a failure. */
export class JobPostponed extends Error {
  override readonly name = 'JobPostponed';

  constructor(
    readonly delayMs: number,
    message: string,
  ) {
    super(message);
  }
}
