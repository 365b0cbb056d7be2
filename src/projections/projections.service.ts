import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { EventStore } from '../event-log/event-store.js';
import type { Clock } from '../platform/clock.js';
import { messageOf } from '../platform/errors.js';
import type { Logger } from '../platform/logger.js';
import { Loop, LoopDirectory } from '../platform/loops/loop.js';
import { OtherRules, ProjectionBusy, type Projection } from './projection.js';
import { ProjectionRunner } from './projection-runner.js';

export interface ProjectionsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly projections: readonly Projection[];
}

export const PROJECTIONS_OPTIONS = Symbol('ProjectionsOptions');

/** How soon after it was recorded an event is in the read models, unless they lag. */
const CATCH_UP_EVERY_MS = 200;

/** Pause of a projection after an error; recording and the other projections continue. */
const REST_AFTER_ERROR_MS = 5_000;

/** Pause of a busy projection, during which the others continue. */
const REST_WHILE_BUSY_MS = 1_000;

/** How long deferred work is done before the end of the log is read again. */
const PAGES_FOR_MS = 500;

interface RunningProjection {
  readonly projection: Projection;
  restUntil: number;
  error: string | undefined;
}

@Injectable()
export class ProjectionsService
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly running: readonly RunningProjection[];
  private readonly loop: Loop;
  private caughtUpTo = -1n;
  private isBlind = false;

  constructor(
    private readonly store: EventStore,
    private readonly runner: ProjectionRunner,
    private readonly loops: LoopDirectory,
    @Inject(PROJECTIONS_OPTIONS) private readonly options: ProjectionsOptions,
  ) {
    this.running = options.projections.map((projection) => ({ projection, restUntil: 0, error: undefined }));
    this.loop = new Loop(
      { name: 'projections', turn: (signal) => this.catchUp(signal) },
      { clock: options.clock, backoff: { firstMs: REST_AFTER_ERROR_MS, longestMs: REST_AFTER_ERROR_MS } },
    );
  }

  onApplicationBootstrap(): void {
    this.loops.start(this.loop);
  }

  /** Projections whose last run failed, with the error. */
  getFailures(): { name: string; error: string }[] {
    return this.running.flatMap(({ projection, error }) => (error ? [{ name: projection.name, error }] : []));
  }

  beforeApplicationShutdown(): void {
    this.loop.end();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loops.stop(this.loop);
  }

  /**
   * Brings every projection as close to the end of the log as it gets.
   * @returns milliseconds until the log should be read again
   */
  async catchUp(signal: AbortSignal): Promise<number> {
    const end = await this.readEnd();
    if (end === undefined || end === this.caughtUpTo) return CATCH_UP_EVERY_MS;
    let isDone = true;
    for (const running of this.running) isDone = (await this.catchUpOne(running, end, signal)) && isDone;
    if (isDone) this.caughtUpTo = end;
    return CATCH_UP_EVERY_MS;
  }

  /** Undefined while the database does not answer; that is logged once, not at every tick. */
  private async readEnd(): Promise<bigint | undefined> {
    const { logger } = this.options;
    try {
      const end = await this.store.lastPosition();
      if (this.isBlind) logger.info('the end of the log can be read again');
      this.isBlind = false;
      return end;
    } catch (error) {
      if (!this.isBlind) logger.warn({ error: messageOf(error) }, 'the end of the log cannot be read');
      this.isBlind = true;
      return undefined;
    }
  }

  /** @returns whether the projection is at the end now */
  private async catchUpOne(running: RunningProjection, end: bigint, signal: AbortSignal): Promise<boolean> {
    const { clock, logger } = this.options;
    const { name } = running.projection;
    if (signal.aborted || clock.monotonic() < running.restUntil) return false;
    try {
      const lastPageAt = clock.monotonic() + PAGES_FOR_MS;
      const isWhole = await this.runner.catchUp(
        running.projection,
        end,
        (position) => !signal.aborted && (position < end || clock.monotonic() < lastPageAt),
        ({ position, stream, type, error }) =>
          logger.error(
            { projection: name, position: String(position), stream, type, error },
            'an event was quarantined; the projection continues without it',
          ),
      );
      if (running.error) logger.info({ projection: name }, 'projection runs again');
      running.error = undefined;
      return isWhole;
    } catch (error) {
      // Another process rebuilds tables of another release, or leaves them alone; this is no failure.
      if (error instanceof ProjectionBusy || error instanceof OtherRules) {
        running.restUntil = clock.monotonic() + REST_WHILE_BUSY_MS;
        return false;
      }
      running.error = messageOf(error);
      running.restUntil = clock.monotonic() + REST_AFTER_ERROR_MS;
      logger.error({ projection: name, error: running.error }, 'projection failed; it will be retried');
      return false;
    }
  }
}
