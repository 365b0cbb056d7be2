import { Inject, Injectable, Optional } from '@nestjs/common';
import { Database } from '../../platform/sql.js';
import { within } from '../../platform/clock.js';
import { messageOf } from '../../platform/errors.js';
import { JobQueue } from '../../platform/queues/job-queue.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ReplicaWatch } from '../replica/replica-watch.js';
import { DiskWatch } from './disk-watch.js';
import { withoutAddresses } from './error-words.js';
import { readDatabaseFacts } from './readiness-facts.query.js';
import { type DatabaseFacts, judgeReadiness, type Readiness } from './readiness.js';
import { RECORDING_STATE, type RecordingState } from './recording-state.js';

const DATABASE_TIMEOUT_MS = 1_500;

/** Determines whether Hindsight records and can answer. */
@Injectable()
export class ReadinessQuery {
  /**
   * The read in progress, shared by all concurrent requests. The database gets one query at a time, however many requests there
   * are and however long it takes, and the projections keep their connections.
   */
  private reading: Promise<DatabaseFacts> | undefined;

  constructor(
    private readonly writes: Database,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
    private readonly replica: ReplicaWatch,
    private readonly disk: DiskWatch,
    @Optional() @Inject(JobQueue) private readonly queue: JobQueue | null,
    @Optional() @Inject(RECORDING_STATE) private readonly recording: (() => RecordingState) | null,
  ) {}

  /**
   * A queue that does not answer does not make the process unready: requests are answered, and the statistics continue without
   * it.
   *
   * @param isTrusted whether the client may know everything that this API reports
   */
  async getReadiness(isTrusted: boolean): Promise<Readiness> {
    try {
      const [facts, queue, replica] = await Promise.all([
        this.readFacts(),
        this.queue?.getState(),
        this.replica.getState(),
      ]);
      const { readiness, outline } = judgeReadiness(facts, this.recording?.(), queue, replica);
      return isTrusted ? readiness : outline;
    } catch (error) {
      const reason = isTrusted ? withoutAddresses(messageOf(error)) : 'The database does not answer.';
      return { ready: false, database: 'unreachable', reason };
    }
  }

  private readFacts(): Promise<DatabaseFacts> {
    this.reading ??= readDatabaseFacts(this.writes, () => this.disk.getUse()).finally(
      () => (this.reading = undefined),
    );
    const complaint = `The database did not answer within ${DATABASE_TIMEOUT_MS} ms.`;
    return within(this.options.clock, DATABASE_TIMEOUT_MS, this.reading, complaint);
  }
}
