import { Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Loop, type LoopView } from './loop.js';

/** Work of the calendar. Times are Unix milliseconds. */
export interface CalendarView {
  readonly name: string;
  /** When it last began; undefined before the first time. */
  readonly lastAt: number | undefined;
  readonly nextAt: number;
}

/**
 * Which loops this process runs. The directory is the registry of @nestjs/schedule, where whoever looks for what runs by
 * time finds calendar work, too; a loop stands in it under its name from its start to its end. The registry knows neither
 * state nor outcome: those are the loop's own.
 */
@Injectable()
export class LoopDirectory {
  constructor(private readonly registry: SchedulerRegistry) {}

  /**
   * Enters a loop and starts it.
   * @throws Error when another loop of that name runs
   */
  start(loop: Loop, delayMs = 0): void {
    // What is entered is no timer: the registry only keeps it, and clearing it at shutdown does nothing.
    this.registry.addTimeout(loop.name, loop);
    loop.start(delayMs);
  }

  /** Stops a loop, after its turn under way, and strikes it out. */
  async stop(loop: Loop): Promise<void> {
    await loop.stop();
    if (this.find(loop.name) === loop) this.registry.deleteTimeout(loop.name);
  }

  /** How every loop fares. */
  getViews(): LoopView[] {
    return this.registry.getTimeouts().flatMap((name) => this.find(name)?.view ?? []);
  }

  /** The calendar work of this process. */
  getCalendar(): CalendarView[] {
    return [...this.registry.getCronJobs()].map(([name, job]) => ({
      name,
      lastAt: job.lastDate()?.getTime(),
      nextAt: job.nextDate().toMillis(),
    }));
  }

  private find(name: string): Loop | undefined {
    const entered: unknown = this.registry.doesExist('timeout', name)
      ? this.registry.getTimeout(name)
      : undefined;
    return entered instanceof Loop ? entered : undefined;
  }
}
