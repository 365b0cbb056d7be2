import type { JobHandler, JobKind, ScheduledKind } from './job-kind.js';

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
    if (entry === undefined) throw new Error(`This version knows no job ${JSON.stringify(name)}.`);
    return entry;
  }
}

function isScheduled(kind: JobKind): kind is ScheduledKind {
  return kind.schedule !== undefined;
}
