import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { within } from '../../platform/deadline.js';
import { messageOf } from '../../platform/errors.js';
import { JobQueue } from '../../platform/queues/job-queue.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ReplicaWatch } from '../replica/replica-watch.js';
import { withoutAddresses } from './error-words.js';
import { readDatabaseFacts } from './readiness-facts.query.js';
import { judgeReadiness, type Readiness } from './readiness.js';
import { RECORDING_STATE, type RecordingState } from './recording-state.js';

const DATABASE_TIMEOUT_MS = 1_500;

/** Finds out whether Hindsight records and can answer. */
@Injectable()
export class ReadinessQuery {
  /** What is being found out, for all who ask meanwhile: however many they are, the database is asked once. */
  private reading: Promise<Parameters<typeof judgeReadiness>> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
    private readonly replica: ReplicaWatch,
    @Optional() @Inject(JobQueue) private readonly queue: JobQueue | null,
    @Optional() @Inject(RECORDING_STATE) private readonly recording: (() => RecordingState) | null,
  ) {}

  /**
   * A queue that is away does not make it unready: questions are answered, and the statistics go on without it.
   *
   * @param isTrusted whether whoever asks may know all that this API tells
   */
  async getReadiness(isTrusted: boolean): Promise<Readiness> {
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    try {
      const { readiness, outline } = judgeReadiness(...(await this.reading));
      return isTrusted ? readiness : outline;
    } catch (error) {
      const reason = isTrusted ? withoutAddresses(messageOf(error)) : 'The database does not answer.';
      return { ready: false, database: 'unreachable', reason };
    }
  }

  private async read(): Promise<Parameters<typeof judgeReadiness>> {
    const complaint = `The database did not answer within ${DATABASE_TIMEOUT_MS} ms.`;
    const [facts, queue, replica] = await Promise.all([
      within(this.options.clock, DATABASE_TIMEOUT_MS, readDatabaseFacts(this.dataSource), complaint),
      this.queue?.getState(),
      this.replica.getState(),
    ]);
    return [facts, this.recording?.(), queue, replica];
  }
}
