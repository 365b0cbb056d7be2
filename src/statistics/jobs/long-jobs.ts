import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { EventStore } from '../../event-log/event-store.js';
import {
  type JobContext,
  JobHandlers,
  JobInterrupted,
  JobPostponed,
} from '../../platform/queues/job-kind.js';
import { Database, inTransaction } from '../../platform/sql.js';
import { rebuildSet, RebuildTaken } from '../../projections/rebuild/rebuild.js';
import { countMarks } from '../roll-up/marks.js';
import { findReadModelSet } from '../read-model-sets.js';
import { STATISTICS_OPTIONS, type StatisticsOptions, StatisticsService } from '../statistics.service.js';
import { REBUILD_JOB } from './rebuild.job.js';
import { RECOMPUTE_JOB, type RecomputeRange } from './recompute-statistics.job.js';

/** A rebuild that another process is running is retried after this time. */
const REBUILD_TAKEN_MS = 15_000;

/** Marks that another worker has taken are checked again after this time. */
const MARKS_TAKEN_MS = 500;

/** Jobs that take minutes or hours and are requested by people. */
@Injectable()
export class LongJobs implements OnModuleInit {
  constructor(
    private readonly handlers: JobHandlers,
    private readonly writes: Database,
    private readonly store: EventStore,
    private readonly statistics: StatisticsService,
    @Inject(STATISTICS_OPTIONS) private readonly options: StatisticsOptions,
  ) {}

  onModuleInit(): void {
    this.handlers.add(RECOMPUTE_JOB, (range, context) => this.recompute(range, context));
    this.handlers.add(REBUILD_JOB, ({ projection }, context) => this.rebuild(projection, context));
  }

  /** Marks the requested range, and ends when all these marks are processed, by any worker. */
  private async recompute(range: RecomputeRange, { signal, progress }: JobContext): Promise<void> {
    const until = await inTransaction(this.writes, async (query) => {
      await this.statistics.rollUp.markAll(query, {
        ...(range.chain !== undefined && { chain: range.chain }),
        ...(range.from !== undefined && { fromUs: BigInt(range.from) }),
        ...(range.to !== undefined && { toUs: BigInt(range.to) }),
      });
      const [row] = await query<{ now: string }>('SELECT clock_timestamp()::text AS now');
      return row?.now ?? 'infinity';
    });
    const total = await countMarks(this.writes, until);
    for (;;) {
      const left = await countMarks(this.writes, until);
      progress(total === 0 ? 1 : 1 - Math.min(left, total) / total);
      if (left === 0) return;
      if (signal.aborted) throw new JobInterrupted();
      await this.statistics.rollUpNow();
      await this.options.clock.sleep(MARKS_TAKEN_MS, signal);
    }
  }

  private async rebuild(name: string, { signal, progress }: JobContext): Promise<void> {
    const set = findReadModelSet(name);
    if (set === undefined) throw new Error(`There is no read model called ${name}.`);
    const parts = { dataSource: this.writes, store: this.store, clock: this.options.clock };
    try {
      await rebuildSet(parts, set, {
        signal,
        isGentle: true,
        announce: () => undefined,
        report: ({ share }) => progress(share),
      });
    } catch (error) {
      if (signal.aborted) throw new JobInterrupted();
      if (error instanceof RebuildTaken) throw new JobPostponed(REBUILD_TAKEN_MS, error.message);
      throw error;
    }
  }
}
