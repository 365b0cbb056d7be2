import type { EventBodies } from '../../domain/events.js';
import type { Millis } from '../../domain/time.js';
import type { EventStore } from '../../event-log/event-store.js';
import { type LogTime, readLogTime } from '../../event-log/log-time.js';
import type { Clock, HoldTimer } from '../../platform/clock.js';
import { messageOf } from '../../platform/errors.js';
import type { Logger } from '../../platform/logger.js';
import { type LoopDirectory, Loop } from '../../platform/loops/loop.js';
import type { Database } from '../../platform/sql.js';
import { changeStream } from '../change-stream.js';
import type { LeaderWork } from '../leadership.js';

interface SteadyObserversParts {
  readonly dataSource: Database;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly loops: LoopDirectory;
  /** Ids of the observed nodes: a clock step is recorded in the stream of each. */
  readonly nodes: readonly string[];
  /** Makes the observers, on the clock that they must use. */
  readonly observeOn: (time: Clock) => LeaderWork;
}

/** Runs the observers on their own clock: it starts at the database's time and runs steadily from there. */
export class SteadyObservers implements LeaderWork {
  private observers: LeaderWork | undefined;
  private watching: Loop | undefined;

  constructor(private readonly parts: SteadyObserversParts) {}

  async start(): Promise<void> {
    const { dataSource, clock, logger, loops, observeOn } = this.parts;
    const { nowMs } = await readLogTime(dataSource);
    const time = new ObserverClock(clock, nowMs);
    this.observers = observeOn(time);
    await this.observers.start();
    const watch = new ClockWatch({
      wall: clock,
      time,
      readLogTime: () => readLogTime(dataSource),
      record: (step) => this.record(step, time),
      logger,
    });
    this.watching = watch.toLoop();
    loops.start(this.watching, EVERY_MS);
  }

  async stop(): Promise<void> {
    const { observers, watching } = this;
    this.observers = undefined;
    this.watching = undefined;
    await Promise.all([watching && this.parts.loops.stop(watching), observers?.stop()]);
  }

  private async record(body: ClockStep, time: Clock): Promise<void> {
    const event = { type: 'ClockStepped', observedAt: time.now(), body } as const;
    const { store, nodes } = this.parts;
    await Promise.all(nodes.map((node) => changeStream(store, `${node}/node`, () => ({ event }))));
  }
}

export type ClockStep = EventBodies['ClockStepped'];

export const EVERY_MS = 10_000;

/** A clock that differs by less was not set: it drifts, or is being slewed. */
const STEP_MS = 2_000;

/** Steps that follow each other within this time are recorded as one: a clock that jumps back and forth must not fill the log. */
const STEP_REST_MS = 60_000;

/** A smaller difference from the database's clock is drift, which is corrected at once. */
const DRIFT_MS = 1_000;

/** The database's clock must be ahead for this long before the observers follow it. */
const FOLLOW_AFTER_MS = 60_000;

interface ClockWatchParts {
  readonly wall: Clock;
  readonly time: ObserverClock;
  readonly readLogTime: () => Promise<LogTime>;
  /** Records a step; if it throws, the next comparison tries again. */
  readonly record: (step: ClockStep) => Promise<void>;
  readonly logger: Logger;
}

/**
 * Compares three clocks while the observers run: the observers' own, the computer's, which may be set at any moment, and
 * the database's. Drift from the database's clock is corrected. When the database's clock stays far ahead (the computer was
 * suspended, say), the observers follow it: that time was not monitored. They never go back.
 */
export class ClockWatch {
  /** The readings that the next step is measured from. */
  private wallAt: number;
  private steadyAt: number;
  private recordedAt = -Infinity;
  private aheadSince: number | undefined;
  private isWarned = false;

  constructor(private readonly parts: ClockWatchParts) {
    this.wallAt = parts.wall.now();
    this.steadyAt = parts.wall.monotonic();
  }

  toLoop(): Loop {
    const { wall, logger } = this.parts;
    const work = {
      name: 'clocks',
      turn: async () => {
        await this.compare();
        return EVERY_MS;
      },
      onFailure: (error: unknown) =>
        logger.warn({ error: messageOf(error) }, 'the clocks could not be compared'),
    };
    return new Loop(work, { clock: wall, backoff: { firstMs: EVERY_MS, longestMs: EVERY_MS } });
  }

  async compare(): Promise<void> {
    await this.compareWithDatabase();
    await this.compareWithWall();
  }

  private async compareWithDatabase(): Promise<void> {
    const { time } = this.parts;
    const asked = time.now();
    const { nowMs, aheadMs } = await this.parts.readLogTime();
    // The database read its clock at some moment between these two readings.
    const ahead = nowMs - time.now();
    const behind = asked - nowMs;
    if (ahead > DRIFT_MS) this.followLater(ahead);
    else this.aheadSince = undefined;
    if (ahead > 0 && ahead <= DRIFT_MS) time.correct(ahead);
    if (behind > 0 && behind <= DRIFT_MS) time.correct(-behind);
    this.warn(aheadMs);
  }

  private followLater(aheadMs: Millis): void {
    const { time, logger } = this.parts;
    this.aheadSince ??= time.monotonic();
    if (time.monotonic() - this.aheadSince < FOLLOW_AFTER_MS) return;
    this.aheadSince = undefined;
    time.correct(aheadMs);
    logger.warn(
      { ms: Math.round(aheadMs) },
      "the observers' time was behind the database's time, and was set to it",
    );
  }

  private warn(aheadMs: Millis): void {
    if (aheadMs > STEP_MS && !this.isWarned) {
      this.parts.logger.warn(
        { ms: Math.round(aheadMs) },
        "the database's clock was set back: until it has caught up, past states cannot be determined",
      );
    }
    this.isWarned = aheadMs > STEP_MS;
  }

  private async compareWithWall(): Promise<void> {
    const { wall, record, logger } = this.parts;
    const wallAfter = wall.now();
    const steady = wall.monotonic();
    const elapsedMs = Math.round(steady - this.steadyAt);
    const stepMs = wallAfter - this.wallAt - elapsedMs;
    if (Math.abs(stepMs) >= STEP_MS) {
      if (steady - this.recordedAt < STEP_REST_MS) return;
      logger.warn({ ms: stepMs }, 'the clock of this computer was set; the observers keep their own time');
      this.recordedAt = steady;
      await record({ wallBefore: this.wallAt, wallAfter, elapsedMs });
    }
    this.wallAt = wallAfter;
    this.steadyAt = steady;
  }
}

/**
 * The clock of all observers of a process: it starts at a given time and runs steadily from there. It never goes back,
 * whatever happens to the computer's clock.
 */
export class ObserverClock implements Clock {
  /** The time at which the monotonic clock read 0. */
  private origin: Millis;
  private shown: Millis = -Infinity;

  /**
   * @param clock only its monotonic time is used
   * @param startsAt the present time
   */
  constructor(
    private readonly clock: Clock,
    startsAt: Millis,
  ) {
    this.origin = startsAt - clock.monotonic();
  }

  now(): Millis {
    this.shown = Math.max(this.shown, Math.floor(this.origin + this.clock.monotonic()));
    return this.shown;
  }

  monotonic(): Millis {
    return this.clock.monotonic();
  }

  sleep(ms: Millis, signal?: AbortSignal, hold?: HoldTimer): Promise<void> {
    return this.clock.sleep(ms, signal, hold);
  }

  /** Corrects the time. A correction backwards makes the clock stand still for as long. */
  correct(byMs: Millis): void {
    this.now();
    this.origin += byMs;
  }
}
