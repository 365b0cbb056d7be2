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

/** What the composition root gives this stage. */
export interface ProjectionsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly projections: readonly Projection[];
}

/** Token under which {@link ProjectionsOptions} are injected. */
export const PROJECTIONS_OPTIONS = Symbol('ProjectionsOptions');

/** An event is in the read models this soon after it was recorded, when nothing is behind. */
const CATCH_UP_EVERY_MS = 200;

/** After an error a projection rests for this long; recording and the other projections go on. */
const REST_AFTER_ERROR_MS = 5_000;

/** A projection that is busy lets the others go on for this long. */
const REST_WHILE_BUSY_MS = 1_000;

/** So long what events left to do is worked off before the end of the log is looked at again. */
const PAGES_FOR_MS = 500;

interface Running {
  readonly projection: Projection;
  restUntil: number;
  error: string | undefined;
}

/** Keeps every projection at the end of the log. */
@Injectable()
export class ProjectionsService
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly running: readonly Running[];
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

  /** Projections that failed when they were last run, with the error. */
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
   * Brings every projection to the end of the log, each as far as it gets.
   * @returns milliseconds until the next look at the log
   */
  async catchUp(signal: AbortSignal): Promise<number> {
    const end = await this.readEnd();
    if (end === undefined || end === this.caughtUpTo) return CATCH_UP_EVERY_MS;
    let isDone = true;
    for (const running of this.running) isDone = (await this.catchUpOne(running, end, signal)) && isDone;
    if (isDone) this.caughtUpTo = end;
    return CATCH_UP_EVERY_MS;
  }

  /** Undefined while the database does not answer; said once, not at every tick. */
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

  /** Whether it is at the end now. */
  private async catchUpOne(running: Running, end: bigint, signal: AbortSignal): Promise<boolean> {
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
            'an event was set aside; the projection goes on without it',
          ),
      );
      if (running.error) logger.info({ projection: name }, 'projection runs again');
      running.error = undefined;
      return isWhole;
    } catch (error) {
      // Tables of another release are rebuilt, or left alone, by somebody else: nothing is wrong here.
      if (error instanceof ProjectionBusy || error instanceof OtherRules) {
        running.restUntil = clock.monotonic() + REST_WHILE_BUSY_MS;
        return false;
      }
      running.error = messageOf(error);
      running.restUntil = clock.monotonic() + REST_AFTER_ERROR_MS;
      logger.error({ projection: name, error: running.error }, 'projection failed; it will be tried again');
      return false;
    }
  }
}
