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

/** Finds out whether Hindsight records and can answer. */
@Injectable()
export class ReadinessQuery {
  /**
   * What is being read, for all who ask meanwhile. However many they are and however long it takes, the database is
   * asked once, and the connections are left to those who project.
   */
  private reading: Promise<DatabaseFacts> | undefined;

  constructor(
    private readonly dataSource: Database,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
    private readonly replica: ReplicaWatch,
    private readonly disk: DiskWatch,
    @Optional() @Inject(JobQueue) private readonly queue: JobQueue | null,
    @Optional() @Inject(RECORDING_STATE) private readonly recording: (() => RecordingState) | null,
  ) {}

  /**
   * A queue that is away does not make it unready: questions are answered, and the statistics go on without it.
   *
   * @param isTrusted whether whoever asks may know all that this API tells
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
    this.reading ??= readDatabaseFacts(this.dataSource, () => this.disk.getUse()).finally(
      () => (this.reading = undefined),
    );
    const complaint = `The database did not answer within ${DATABASE_TIMEOUT_MS} ms.`;
    return within(this.options.clock, DATABASE_TIMEOUT_MS, this.reading, complaint);
  }
}
