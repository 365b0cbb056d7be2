import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/sql.js';
import { JobHandlers } from '../../platform/queues/job-kind.js';
import { JobQueue } from '../../platform/queues/job-queue.js';
import { thinChanges } from '../../projections/record/thin-changes.js';
import { CLEAN_UP_JOB } from './clean-up.job.js';

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
