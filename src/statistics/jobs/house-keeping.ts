import { Injectable, type OnModuleInit } from '@nestjs/common';
import { z } from 'zod';
import { Database } from '../../platform/sql.js';
import { JobHandlers, type JobKind } from '../../platform/queues/job-kind.js';
import { JobQueue } from '../../platform/queues/job-queue.js';
import { thinChanges } from '../../projections/record/thin-changes.js';

/**
 * Drops data that is shown only for a time: ended jobs, failure reasons of rebuilds that are no longer tried, and most change
 * numbers older than five weeks.
 */
const CLEAN_UP_JOB: JobKind<Record<string, never>> = {
  name: 'clean-up',
  data: z.strictObject({}),
  attempts: 1,
  firstBackoffMs: 1_000,
  identify: () => '',
  isKept: false,
  deadlineMs: 60_000,
  // At an hour when little else starts.
  schedule: '0 37 3 * * *',
};

/** Drops outdated rows once a day. */
@Injectable()
export class HouseKeeping implements OnModuleInit {
  constructor(
    private readonly handlers: JobHandlers,
    private readonly queue: JobQueue,
    private readonly writes: Database,
  ) {}

  onModuleInit(): void {
    this.handlers.add(CLEAN_UP_JOB, (_, { signal }) => this.cleanUp(signal));
  }

  private async cleanUp(signal: AbortSignal): Promise<void> {
    await this.queue.dropOld();
    // A rebuild that is still tried updates its row every minute. An older row was settled by hand, and is no news at the next
    // upgrade.
    await this.writes.query("DELETE FROM rebuild_failure WHERE tried_at < now() - interval '1 day'");
    await thinChanges(this.writes, signal);
  }
}
