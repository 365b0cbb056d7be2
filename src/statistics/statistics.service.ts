import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Clock } from '../platform/clock.js';
import { messageOf } from '../platform/errors.js';
import type { Logger } from '../platform/logger.js';
import { Loop } from '../platform/loops/loop.js';
import { LoopDirectory } from '../platform/loops/loop-directory.js';
import { JobHandlers } from '../platform/queues/job-handlers.js';
import { JobQueue } from '../platform/queues/job-queue.js';
import { RareLog } from '../platform/rare-log.js';
import { OtherRules } from '../projections/projection.js';
import { ROLL_UP_JOB } from './jobs/roll-up.job.js';
import { type Backlog, readBacklog } from './marks.js';
import { RollUp } from './roll-up/roll-up.js';

/** What the composition root gives this stage. */
export interface StatisticsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Token under which {@link StatisticsOptions} are injected. */
export const STATISTICS_OPTIONS = Symbol('StatisticsOptions');

/** What is new in the record is in the statistics this soon, when nothing is behind. */
const RING_EVERY_MS = 1_000;

/** Marks that are older although the bell was rung are worked off without the queue; so are all when it cannot be rung. */
const SWEEP_AFTER_S = 5;

/** After a roll-up that failed: the pause before the next, doubled each time up to the longest. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;

/** A roll-up is followed by a pause as long as itself, up to this: the quarter hour that runs is computed over and over. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Keeps the statistics up to the record. The queue only says when, and spreads the work over the workers: what is to be
 * done stands in the marks, so that a queue that is lost, hung or flushed loses nothing.
 */
@Injectable()
export class StatisticsService
  implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  readonly rollUp: RollUp;
  private readonly complaints: RareLog;
  private readonly loop: Loop;
  private working: Promise<void> | undefined;
  private isStopped = false;
  private pendingSince: number | undefined;
  private failures = 0;
  private restUntil = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: JobQueue,
    private readonly handlers: JobHandlers,
    private readonly loops: LoopDirectory,
    @Inject(STATISTICS_OPTIONS) private readonly options: StatisticsOptions,
  ) {
    this.rollUp = new RollUp(dataSource, {
      onFault: (fault) =>
        options.logger.error(fault, 'the figures of a node or chain cannot be computed; they are set aside'),
    });
    this.complaints = new RareLog(options.clock, options.logger);
    this.loop = new Loop(
      { name: 'statistics', turn: () => this.ring() },
      { clock: options.clock, backoff: { firstMs: RING_EVERY_MS, longestMs: LONGEST_REST_MS } },
    );
  }

  onModuleInit(): void {
    // A bell that is not answered in the pause is rung again.
    this.handlers.add(ROLL_UP_JOB, async (_, { signal }) => {
      if (!this.isResting()) await this.rollUpNow(() => !signal.aborted);
    });
  }

  onApplicationBootstrap(): void {
    this.loops.start(this.loop, RING_EVERY_MS);
  }

  /**
   * Works off the marks that no other worker has taken. One at a time in a process: a second caller waits for the first,
   * and what was marked in between is found at the next ring.
   */
  rollUpNow(shouldGoOn: () => boolean): Promise<void> {
    this.working ??= this.work(() => !this.isStopped && shouldGoOn()).finally(() => {
      this.working = undefined;
    });
    return this.working;
  }

  beforeApplicationShutdown(): void {
    this.isStopped = true;
    this.loop.end();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await Promise.allSettled([this.loops.stop(this.loop), this.working]);
  }

  private isResting(): boolean {
    return this.options.clock.monotonic() < this.restUntil;
  }

  /** Rings while there is something to do. @returns milliseconds until the next look at the marks */
  private async ring(): Promise<number> {
    const backlog = await this.findBacklog();
    if (!backlog?.hasSources || this.isResting()) return RING_EVERY_MS;
    const isRung = await this.queue.add(ROLL_UP_JOB, {}).then(
      () => true,
      (error: unknown) => this.complaints.warn(error, 'statistics go on without the queue'),
    );
    const isWorking = this.isStopped || this.working !== undefined;
    if (isWorking || (isRung && backlog.seconds < SWEEP_AFTER_S)) return RING_EVERY_MS;
    this.options.logger.debug({ seconds: backlog.seconds }, 'nobody answers the bell; rolling up');
    // What it fails of is written down there.
    await this.rollUpNow(() => true).catch(() => undefined);
    return RING_EVERY_MS;
  }

  /** Undefined when there is nothing to do, or the database does not answer. */
  private async findBacklog(): Promise<Backlog | undefined> {
    try {
      if (!(await this.rollUp.hasMarks())) {
        this.pendingSince = undefined;
        return undefined;
      }
      const backlog = await readBacklog(this.dataSource);
      const now = this.options.clock.monotonic();
      // Tables that a rebuild has replaced are something to do that bears no mark yet.
      this.pendingSince = backlog.seconds > 0 ? undefined : (this.pendingSince ?? now);
      const seconds = this.pendingSince === undefined ? backlog.seconds : (now - this.pendingSince) / 1_000;
      return { ...backlog, seconds };
    } catch (error) {
      this.complaints.warn(error, 'the marks of the statistics cannot be read');
      return undefined;
    }
  }

  private async work(shouldGoOn: () => boolean): Promise<void> {
    const { clock, logger } = this.options;
    const began = clock.monotonic();
    try {
      await this.rollUp.run(shouldGoOn);
      this.restUntil = clock.monotonic() + Math.min(clock.monotonic() - began, LONGEST_PAUSE_MS);
      if (this.failures > 0) logger.info('statistics are computed again');
      this.failures = 0;
    } catch (error) {
      if (error instanceof OtherRules) {
        // They are rebuilt, or left alone, by somebody else: nothing is wrong here.
        this.restUntil = clock.monotonic() + LONGEST_PAUSE_MS;
        return;
      }
      const rest = Math.min(FIRST_REST_MS * 2 ** Math.min(this.failures, 10), LONGEST_REST_MS);
      this.failures += 1;
      this.restUntil = clock.monotonic() + rest;
      this.complaints.warn(error, 'statistics could not be computed; they will be tried again');
      throw new Error(messageOf(error), { cause: error });
    }
  }
}
