import { Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Clock, HoldTimer } from '../clock.js';
import { messageOf } from '../errors.js';

/** What a loop does over and over. */
export interface LoopWork {
  /** Among all loops of a process, such as `alpha/submissions`. */
  readonly name: string;
  /**
   * One turn.
   * @param signal aborted when the loop is to end
   * @returns milliseconds until the next turn is due
   */
  turn(signal: AbortSignal): Promise<number>;
  /** Told of each turn that threw, and when it is tried again. */
  onFailure?(error: unknown, retryInMs: number): void;
}

/** How a loop keeps time. */
export interface LoopPace {
  readonly clock: Clock;
  /** After a turn that threw: doubled from the first to the longest, until one succeeds. */
  readonly backoff: { readonly firstMs: number; readonly longestMs: number };
  /** Each pause is stretched or shrunk by up to this share, so that many loops do not beat together; none if left out. */
  readonly jitter?: { readonly share: number; readonly random: () => number };
}

/** How a loop fares. Times are Unix milliseconds of the loop's own clock, which may differ from the computer's. */
export interface LoopView {
  readonly name: string;
  /** When this was so. */
  readonly at: number;
  readonly state: 'asleep' | 'working' | 'ended';
  /** When it became so. */
  readonly since: number;
  /** How its last turn ended; undefined before the first. */
  readonly last: { readonly at: number; readonly error?: string } | undefined;
  /** When the next turn is due; undefined while one is under way, and after the end. */
  readonly nextAt: number | undefined;
}

/** Does one thing over and over, never twice at a time. */
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

  /** Begins, with the first turn after `delayMs`. A loop runs once in its life. @param hold is handed the timer of each pause */
  start(delayMs = 0, hold?: HoldTimer): void {
    this.running ??= this.run(delayMs, hold);
  }

  /** Asks it to end: a pause ends at once, a turn under way may still finish. */
  end(): void {
    this.ending.abort();
  }

  /** Ends it; resolves when a turn under way has ended. */
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

  /** @returns milliseconds until the next turn */
  private async takeTurn(): Promise<number> {
    const { clock, backoff } = this.pace;
    try {
      const pauseMs = await this.work.turn(this.ending.signal);
      this.retryInMs = backoff.firstMs;
      this.last = { at: clock.now() };
      return pauseMs;
    } catch (error) {
      // What a turn throws because it was cut short is no failure.
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

/** Work of the calendar. Times are Unix milliseconds. */
export interface CalendarView {
  readonly name: string;
  /** When it last began; undefined before the first time. */
  readonly lastAt: number | undefined;
  readonly nextAt: number;
}

/**
 * Which loops this process runs. The timer of a loop's next turn stands in the registry of @nestjs/schedule under the loop's
 * name, beside calendar work. State and outcome, which the registry does not know, are the loop's own.
 */
@Injectable()
export class LoopDirectory {
  private readonly loops = new Map<string, Loop>();

  constructor(private readonly registry: SchedulerRegistry) {}

  /**
   * Enters a loop and starts it.
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

  /** Stops a loop, after its turn under way, and strikes it out. */
  async stop(loop: Loop): Promise<void> {
    await loop.stop();
    if (this.loops.get(loop.name) !== loop) return;
    this.loops.delete(loop.name);
    this.clear(loop.name);
  }

  /** How every loop fares. */
  getViews(): LoopView[] {
    return [...this.loops.values()].map(({ view }) => view);
  }

  /** The calendar work of this process. */
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
