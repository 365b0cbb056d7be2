import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HttpClient } from '../platform/http.js';
import { JobHandlers, type JobKind } from '../platform/queues/job-kind.js';
import { Database } from '../platform/sql.js';
import { WATCH_JOB } from './alert-jobs.js';
import { ALERTS_OPTIONS, type AlertsOptions } from './alerts-options.js';
import { judgeAnswer } from './judge-answer.js';
import { PATIENCE } from './send-failure.js';

/** Requests the heartbeat URL, once a minute. */
export const HEARTBEAT_JOB: JobKind<Record<string, never>> = {
  ...WATCH_JOB,
  name: 'heartbeat',
  deadlineMs: 30_000,
  schedule: '0 * * * * *',
};

/** Each monitored node causes an event about once a minute. */
const STALE_AFTER = '2 min';

/**
 * Reports to an external monitor that Hindsight is alive: that it records, and that its queue and a worker run. If any of them
 * stops, nothing is sent.
 */
@Injectable()
export class Heartbeat implements OnModuleInit, OnApplicationShutdown {
  private readonly http = new HttpClient();

  constructor(
    private readonly writes: Database,
    private readonly handlers: JobHandlers,
    @Inject(ALERTS_OPTIONS) private readonly options: AlertsOptions,
  ) {}

  onModuleInit(): void {
    const { heartbeat } = this.options;
    if (heartbeat !== undefined)
      this.handlers.add(HEARTBEAT_JOB, (_, { signal }) => this.beat(heartbeat, signal));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private async beat(url: string, signal: AbortSignal): Promise<void> {
    const [last] = await this.writes.query<{ isFresh: boolean }[]>(
      `SELECT recorded_at > clock_timestamp() - interval '${STALE_AFTER}' AS "isFresh"
         FROM event WHERE position = (SELECT position FROM log_head)`,
    );
    if (!last?.isFresh) {
      this.options.logger.warn('nothing was recorded for two minutes: no heartbeat is sent');
      return;
    }
    const failure = judgeAnswer(
      { id: 'heartbeat', kind: 'webhook', url },
      await this.http.request({ url, limits: PATIENCE, signal }),
    );
    if (failure) this.options.logger.warn({ reason: failure.detail }, 'the heartbeat did not arrive');
  }
}
