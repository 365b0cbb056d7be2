import { messageOf } from '../errors.js';
import type { JobContext, JobHandler, JobKind, ScheduledKind } from './job-kind.js';

/** What the workers of this process can do, by the name of the job. Every stage adds its own. */
export class JobHandlers {
  private readonly handlers = new Map<
    string,
    { readonly kind: JobKind; readonly handle: JobHandler<unknown> }
  >();

  /** @throws when the name is taken */
  add<Data>(kind: JobKind<Data>, handle: JobHandler<Data>): void {
    if (this.handlers.has(kind.name)) throw new Error(`There are two handlers for ${kind.name}.`);
    this.handlers.set(kind.name, {
      kind: kind as JobKind,
      handle: (given, context) => {
        const data = kind.data.safeParse(given);
        if (!data.success)
          throw new Error(`The data of the job is not as expected: ${messageOf(data.error)}`);
        return handle(data.data, context);
      },
    });
  }

  /** The kinds that the queue is to begin by itself. */
  get scheduled(): ScheduledKind[] {
    return [...this.handlers.values()].flatMap(({ kind }) =>
      kind.schedule === undefined ? [] : [{ ...kind, schedule: kind.schedule }],
    );
  }

  /** Undefined: as long as it takes, or this version does not know the job. */
  deadlineOf(name: string): number | undefined {
    return this.handlers.get(name)?.kind.deadlineMs;
  }

  /** @throws when this version does not know the job, its data are wrong, or the handler fails */
  async run(name: string, data: unknown, context: JobContext): Promise<void> {
    const handler = this.handlers.get(name);
    if (handler === undefined) throw new Error(`This version knows no job ${JSON.stringify(name)}.`);
    await handler.handle(data, context);
  }
}
