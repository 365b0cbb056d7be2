import { Inject, Injectable } from '@nestjs/common';
import { LoopDirectory } from '../../platform/loops/loop.js';
import { type LoopsSummary, summariseLoops } from '../../platform/loops/loop-summary.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { withoutAddresses } from './error-words.js';
import type { Readiness } from './readiness.js';

/** Work of the calendar. */
export interface CalendarWork {
  readonly name: string;
  /** Seconds since it last began; undefined before the first time since the start. */
  readonly lastSeconds: number | undefined;
  /** Seconds until the next time. */
  readonly nextSeconds: number;
}

/** What this process does by time. */
export interface Running {
  readonly loops: LoopsSummary;
  readonly calendar: readonly CalendarWork[];
}

/** What `/health/ready` answers: to strangers without what runs. */
export type ServiceStatus = Readiness & Partial<Running>;

/** Tells what this process does by time. Everything is in memory, and the answer is bounded. */
@Injectable()
export class RunningQuery {
  constructor(
    private readonly directory: LoopDirectory,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
  ) {}

  getRunning(): Running {
    const loops = summariseLoops(this.directory.getViews());
    const now = this.options.clock.now();
    const seconds = (ms: number): number => Math.round(ms / 100) / 10;
    return {
      loops: {
        ...loops,
        listed: loops.listed.map((loop) => ({
          ...loop,
          error: loop.error && withoutAddresses(loop.error),
        })),
      },
      calendar: this.directory.getCalendar().map(({ name, lastAt, nextAt }) => ({
        name,
        lastSeconds: lastAt && seconds(now - lastAt),
        nextSeconds: seconds(nextAt - now),
      })),
    };
  }
}
