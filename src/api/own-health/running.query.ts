import { Inject, Injectable } from '@nestjs/common';
import { LoopDirectory } from '../../platform/loops/loop.js';
import { type LoopsSummary, summariseLoops } from '../../platform/loops/loop-summary.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { withoutAddresses } from './error-words.js';
import type { Readiness } from './readiness.js';

/** A cron job. */
export interface CalendarWork {
  readonly name: string;
  /** Seconds since it last began; undefined if it has not begun since the start. */
  readonly lastSeconds: number | undefined;
  readonly nextSeconds: number;
}

export interface PeriodicWork {
  readonly loops: LoopsSummary;
  readonly calendar: readonly CalendarWork[];
}

/** The answer of `/health/ready`; clients without a key get no running work. */
export type ServiceStatus = Readiness & Partial<PeriodicWork>;

/** Reports the periodic work of this process. Everything is in memory, and the answer is bounded. */
@Injectable()
export class RunningQuery {
  constructor(
    private readonly directory: LoopDirectory,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
  ) {}

  getRunning(): PeriodicWork {
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
