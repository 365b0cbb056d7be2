import { Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Clock, HoldTimer } from '../clock.js';
import { messageOf } from '../errors.js';

export interface LoopWork {
  /** Unique among the loops of a process, such as `alpha/submissions`. */
  readonly name: string;
  /**
   * Runs one iteration.
   * @param signal aborted when the loop must end
   * @returns milliseconds until the next iteration is due
   */
  turn(signal: AbortSignal): Promise<number>;
  /** Called for each iteration that threw, with the time until the next try. */
  onFailure?(error: unknown, retryInMs: number): void;
}

export interface LoopPace {
  readonly clock: Clock;
  /** Pause after an iteration that threw: doubles from the first to the longest, until an iteration succeeds. */
  readonly backoff: { readonly firstMs: number; readonly longestMs: number };
  /** Each pause is stretched or shrunk by up to this share, so that many loops do not run in step; no jitter if left out. */
  readonly jitter?: { readonly share: number; readonly random: () => number };
}

/** State of a loop. Times are Unix milliseconds of the loop's own clock, which may differ from the computer's. */
export interface LoopView {
  readonly name: string;
  /** When this view was taken. */
  readonly at: number;
  readonly state: 'asleep' | 'working' | 'ended';
  /** When the loop entered this state. */
  readonly since: number;
  /** The end of the last iteration; undefined before the first. */
  readonly last: { readonly at: number; readonly error?: string } | undefined;
  /** When the next iteration is due; undefined while one is under way, and after the end. */
  readonly nextAt: number | undefined;
}

/** Repeats its work, never twice at a time. */
export class Loop {
  private readonly ending = new AbortController();
  private running: Promise<void> | undefined;
  private state: LoopView['state'] = 'asleep';
  private since: number;
  private last: LoopView['last'];
  private nextAt: number | undefined;
  private retryInMs: number;

  constructor(
    private readonly work: LoopWork,
    private readonly pace: LoopPace,
  ) {
    this.since = pace.clock.now();
    this.retryInMs = pace.backoff.firstMs;
  }

  get name(): string {
    return this.work.name;
  }

  get view(): LoopView {
    const { name, state, since, last, nextAt } = this;
    return { name, at: this.pace.clock.now(), state, since, last, nextAt };
  }

  /**
   * Starts the loop, with the first iteration after `delayMs`. A loop can only be started once.
   * @param hold receives the timer of each pause
   */
  start(delayMs = 0, hold?: HoldTimer): void {
    this.running ??= this.run(delayMs, hold);
  }

  /** Requests the end: a pause ends at once, an iteration under way may still finish. */
  end(): void {
    this.ending.abort();
  }

  /** Ends the loop; resolves when an iteration under way has ended. */
  async stop(): Promise<void> {
    this.end();
    await this.running;
  }

  private async run(delayMs: number, hold?: HoldTimer): Promise<void> {
    const { signal } = this.ending;
    if (delayMs > 0) await this.sleep(delayMs, hold);
    while (!signal.aborted) {
      this.become('working');
      const pauseMs = await this.takeTurn();
      if (!signal.aborted) await this.sleep(this.withJitter(pauseMs), hold);
    }
    this.become('ended');
  }

  /** @returns milliseconds until the next iteration */
  private async takeTurn(): Promise<number> {
    const { clock, backoff } = this.pace;
    try {
      const pauseMs = await this.work.turn(this.ending.signal);
      this.retryInMs = backoff.firstMs;
      this.last = { at: clock.now() };
      return pauseMs;
    } catch (error) {
      // An error of an interrupted iteration is not a failure.
      if (this.ending.signal.aborted) return 0;
      const pauseMs = this.retryInMs;
      this.retryInMs = Math.min(pauseMs * 2, backoff.longestMs);
      this.last = { at: clock.now(), error: messageOf(error) };
      this.work.onFailure?.(error, pauseMs);
      return pauseMs;
    }
  }

  private async sleep(ms: number, hold?: HoldTimer): Promise<void> {
    const { clock } = this.pace;
    this.become('asleep', clock.now() + ms);
    await clock.sleep(ms, this.ending.signal, hold);
  }

  private become(state: LoopView['state'], nextAt?: number): void {
    this.state = state;
    this.since = this.pace.clock.now();
    this.nextAt = nextAt;
  }

  private withJitter(ms: number): number {
    const { jitter } = this.pace;
    return jitter ? ms * (1 + jitter.share * (2 * jitter.random() - 1)) : ms;
  }
}

/** Calendar work (`@Cron`). Times are Unix milliseconds. */
export interface CalendarView {
  readonly name: string;
  /** When it last began; undefined before the first time. */
  readonly lastAt: number | undefined;
  readonly nextAt: number;
}

/**
 * The loops of this process. The timer of a loop's next iteration is in the registry of @nestjs/schedule under the loop's name,
 * next to calendar work. The loop itself keeps its state and outcome, which the registry does not know.
 */
@Injectable()
export class LoopDirectory {
  private readonly loops = new Map<string, Loop>();

  constructor(private readonly registry: SchedulerRegistry) {}

  /**
   * Registers a loop and starts it.
   * @throws Error when another loop of that name runs
   */
  start(loop: Loop, delayMs = 0): void {
    const { name } = loop;
    if (this.loops.has(name)) throw new Error(`There is already a loop called ${name}.`);
    this.loops.set(name, loop);
    loop.start(delayMs, (timer) => {
      this.clear(name);
      this.registry.addTimeout(name, timer);
    });
  }

  /** Stops a loop after the iteration under way, and removes it. */
  async stop(loop: Loop): Promise<void> {
    await loop.stop();
    if (this.loops.get(loop.name) !== loop) return;
    this.loops.delete(loop.name);
    this.clear(loop.name);
  }

  getViews(): LoopView[] {
    return [...this.loops.values()].map(({ view }) => view);
  }

  getCalendar(): CalendarView[] {
    return [...this.registry.getCronJobs()].map(([name, job]) => ({
      name,
      lastAt: job.lastDate()?.getTime(),
      nextAt: job.nextDate().toMillis(),
    }));
  }

  private clear(name: string): void {
    if (this.registry.doesExist('timeout', name)) this.registry.deleteTimeout(name);
  }
}
