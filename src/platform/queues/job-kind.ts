import type { JobsOptions } from 'bullmq';
import type { z } from 'zod';

/** A kind of jobs, and what does one. */
interface Entry {
  readonly kind: JobKind;
  readonly handle: JobHandler<unknown>;
}

/** What the workers of this process can do, by the name of the job. Every stage adds its own. */
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

  /** The kinds that the queue is to begin by itself. */
  get scheduled(): ScheduledKind[] {
    return [...this.entries.values()].map(({ kind }) => kind).filter(isScheduled);
  }

  /** The kind of a job, and what does one; it throws where the data are wrong. @throws when this version does not know the job */
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

/** What can be put into the queue under a name. */
export interface JobKind<Data = unknown> {
  readonly name: string;
  /** What a job's data must be, when it is added and again when it is done: another version may have added it. */
  readonly data: z.ZodType<Data>;
  /** Tries before the job is shown as failed. */
  readonly attempts: number;
  /** Pause before the second try; each further one is twice as long. */
  readonly firstBackoffMs: number;
  /** Jobs of the same identity are one job while it waits or is done. */
  readonly identify: (data: Data) => string;
  /** Whether what was done is shown for a week; what failed is, for a month. */
  readonly isKept: boolean;
  /** After so long its signal is aborted, and it fails unless it ends soon. Left out where hours are fine. */
  readonly deadlineMs?: number;
  /**
   * When the queue begins one by itself, without data: a cron pattern with seconds, UTC. It is tried once, since the next
   * one follows, and kept nowhere.
   */
  readonly schedule?: string;
}

/** A kind that the queue begins by itself. */
export type ScheduledKind = JobKind & { readonly schedule: string };

/** For how long jobs are shown that have ended, in seconds. */
export const KEPT_SECONDS = { completed: 7 * DAY_SECONDS, failed: 30 * DAY_SECONDS } as const;

/** By what jobs are told to be the same, among those of all kinds. */
export function identityOf<Data>(kind: JobKind<Data>, data: Data): string {
  return `${kind.name} ${kind.identify(data)}`.trim();
}

/** How a job is added to BullMQ. Ages, not counts: on Postgres a count makes every completion slow. */
export function toJobOptions<Data>(kind: JobKind<Data>, data: Data): JobsOptions {
  return {
    attempts: kind.attempts,
    backoff: { type: 'exponential', delay: kind.firstBackoffMs },
    deduplication: { id: identityOf(kind, data) },
    removeOnComplete: kind.isKept ? { age: KEPT_SECONDS.completed } : true,
    removeOnFail: { age: KEPT_SECONDS.failed, count: 1_000 },
  };
}

/** What a handler is given beside the data. */
export interface JobContext {
  /**
   * Aborted at the deadline, and when the process is to stop: then throw {@link JobInterrupted} soon, and another worker begins
   * the job again.
   */
  readonly signal: AbortSignal;
  /** Tells how far the job has come, from 0 to 1. Cheap to call often. */
  readonly progress: (share: number) => void;
}

/**
 * Does a job. It must be harmless when done twice, even at the same time. A worker that hung or was cut off does not
 * know that its job was given to another.
 */
export type JobHandler<Data> = (data: Data, context: JobContext) => Promise<void>;

/** The process stops; the job is not done. */
export class JobInterrupted extends Error {
  override readonly name = 'JobInterrupted';

  constructor() {
    super('The worker was stopped; another worker will start this job again.');
  }
}

/** Somebody else is at it. The job is tried again later, and that does not count as a failure. */
export class JobPostponed extends Error {
  override readonly name = 'JobPostponed';

  constructor(
    readonly delayMs: number,
    message: string,
  ) {
    super(message);
  }
}
