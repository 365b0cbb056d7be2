import { Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Loop, LoopView } from './loop.js';

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
    if (this.loops.has(name)) throw new Error(`There is a loop called ${name} already.`);
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
