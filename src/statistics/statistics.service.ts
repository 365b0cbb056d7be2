import { once } from 'node:events';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../platform/clock.js';
import { messageOf } from '../platform/errors.js';
import type { Logger } from '../platform/logger.js';
import { LoopDirectory, Loop } from '../platform/loops/loop.js';
import { JobHandlers, type JobKind } from '../platform/queues/job-kind.js';
import { JobQueue } from '../platform/queues/job-queue.js';
import { RareLog } from '../platform/rare-log.js';
import { Database } from '../platform/sql.js';
import { OtherRules } from '../projections/projection.js';
import { readBacklog } from './roll-up/marks.js';
import { RollUp } from './roll-up/roll-up.js';
import { OtherZoneData } from './roll-up/generation.js';

/** Provided by the composition root. */
export interface StatisticsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

export const STATISTICS_OPTIONS = Symbol('StatisticsOptions');

/**
 * Processes the existing marks. The job has no data, so a lost or repeated job changes nothing. New marks request a job at
 * once; scheduled jobs find marks whose job was lost.
 */
const ROLL_UP_JOB: JobKind<Record<string, never>> = {
  name: 'roll-up',
  data: z.strictObject({}),
  attempts: 5,
  firstBackoffMs: 1_000,
  identify: () => '',
  isKept: false,
  deadlineMs: 60_000,
  schedule: '*/15 * * * * *',
};

/** Marks are checked at this pace: changes of the record are in the statistics this soon if there is no backlog. */
const LOOK_EVERY_MS = 1_000;

/** Marks older than this, although a job was queued for them, are processed without the queue. */
const SWEEP_AFTER_S = 30;

/** The pause after a failed roll-up, doubled each time up to the longest pause. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;

/** A roll-up is followed by a pause as long as itself, up to this limit: the current quarter hour is computed over and over. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Keeps the statistics up to date with the record. The queue says when, and spreads the work over the workers: every 15
 * seconds, and at once when there are new marks. The marks say what to compute, so a queue that is lost, hung or flushed loses
 * nothing. A worker whose marks grow old processes them without the queue.
 *
 * The end of an hour or a day needs no job. Its bucket is the sum of its quarter hours and is replaced with each of them, and
 * every change of a quarter hour marks it. Coverage and pending blocks at its end are read, not stored.
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
  private isSweeping = false;
  private pendingSince: number | undefined;
  private failures = 0;
  private restUntil: number;

  constructor(
    private readonly writes: Database,
    private readonly queue: JobQueue,
    private readonly handlers: JobHandlers,
    private readonly loops: LoopDirectory,
    @Inject(STATISTICS_OPTIONS) private readonly options: StatisticsOptions,
  ) {
    this.restUntil = options.clock.monotonic();
    this.rollUp = new RollUp(writes, {
      onFault: (fault) =>
        options.logger.error(
          fault,
          'the figures of a node or chain cannot be computed; they are quarantined',
        ),
    });
    this.complaints = new RareLog(options.clock, options.logger);
    this.loop = new Loop(
      {
        name: 'statistics',
        turn: () => this.look(),
        onFailure: (error) => this.complaints.warn(error, 'the marks of the statistics cannot be read'),
      },
      { clock: options.clock, backoff: { firstMs: LOOK_EVERY_MS, longestMs: LOOK_EVERY_MS } },
    );
  }

  onModuleInit(): void {
    this.handlers.add(ROLL_UP_JOB, async (_, { signal }) => {
      this.isSweeping = false;
      // While this process is busy, the marks request another job. A roll-up that runs at the deadline continues without its
      // job.
      if (this.isBusy || (await this.findWaiting()) === undefined) return;
      await Promise.race([this.rollUpNow(), once(signal, 'abort')]);
    });
  }

  onApplicationBootstrap(): void {
    this.loops.start(this.loop, LOOK_EVERY_MS);
  }

  /**
   * Processes the marks that no other worker has taken. Runs once at a time in a process: a second caller waits for the first.
   * Marks written in between are found at the next check.
   */
  rollUpNow(): Promise<void> {
    this.working ??= this.work().finally(() => {
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

  private get isBusy(): boolean {
    return this.isStopped || this.working !== undefined || this.options.clock.monotonic() < this.restUntil;
  }

  /**
   * Queues a roll-up while there is something to do.
   * @returns milliseconds until the next check of the marks
   */
  private async look(): Promise<number> {
    const waitingS = await this.findWaiting();
    if (waitingS === undefined || this.isBusy) return LOOK_EVERY_MS;
    // The job is requested again in a second. The queue itself reports trouble, and marks that grow old are reported below.
    await this.queue.add(ROLL_UP_JOB, {}).catch(() => undefined);
    // Marks that grew old while this process was busy say nothing about the queue.
    const freeS = (this.options.clock.monotonic() - this.restUntil) / 1_000;
    if (Math.min(waitingS, freeS) >= SWEEP_AFTER_S && !this.isBusy) await this.sweep(waitingS);
    return LOOK_EVERY_MS;
  }

  private async sweep(waitingS: number): Promise<void> {
    if (!this.isSweeping) {
      const seconds = Math.round(waitingS);
      this.options.logger.warn(
        { seconds },
        'marks have waited too long; they are processed without the queue',
      );
    }
    this.isSweeping = true;
    // The roll-up logs its own failure.
    await this.rollUpNow().catch(() => undefined);
  }

  /** Seconds that the oldest mark has waited; undefined if there is nothing to do. */
  private async findWaiting(): Promise<number | undefined> {
    const backlog = (await this.rollUp.hasMarks()) ? await readBacklog(this.writes) : undefined;
    const now = this.options.clock.monotonic();
    // Tables that a rebuild has replaced are work without marks yet.
    this.pendingSince = backlog?.seconds === 0 ? (this.pendingSince ?? now) : undefined;
    if (!backlog?.hasSources) return undefined;
    return this.pendingSince === undefined ? backlog.seconds : (now - this.pendingSince) / 1_000;
  }

  private async work(): Promise<void> {
    const { clock, logger } = this.options;
    const began = clock.monotonic();
    try {
      await this.rollUp.run(() => !this.isStopped);
      this.restUntil = clock.monotonic() + Math.min(clock.monotonic() - began, LONGEST_PAUSE_MS);
      if (this.failures > 0) logger.info('statistics are computed again');
      this.failures = 0;
    } catch (error) {
      if (error instanceof OtherRules) {
        // Another process rebuilds the statistics or leaves them alone: nothing is wrong here.
        this.restUntil = clock.monotonic() + LONGEST_PAUSE_MS;
        return;
      }
      if (error instanceof OtherZoneData) {
        this.restUntil = clock.monotonic() + LONGEST_PAUSE_MS;
        this.complaints.warn(error, 'this process computes no statistics: a newer Node does');
        return;
      }
      const rest = Math.min(FIRST_REST_MS * 2 ** Math.min(this.failures, 10), LONGEST_REST_MS);
      this.failures += 1;
      this.restUntil = clock.monotonic() + rest;
      this.complaints.warn(error, 'statistics could not be computed; they will be retried');
      throw new Error(messageOf(error), { cause: error });
    }
  }
}
