import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { within } from '../../platform/deadline.js';
import { messageOf } from '../../platform/errors.js';
import { JobQueue, type QueueState } from '../../platform/queues/job-queue.js';
import { summariseFaults } from '../../projections/fault-list.js';
import { readBacklog } from '../../statistics/marks.js';
import { listSubjectsSetAside } from '../../statistics/roll-up/fault-list.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { MOST_NAMES, tellFaults, tellSubjects } from './fault-sentences.js';

/** How far a projection has come. */
export interface ProjectionProgress {
  readonly name: string;
  readonly position: string;
  /** Events that it has still to read. */
  readonly behind: string;
  /** Behind, and not moved for a minute, as far as this process has watched. */
  readonly stuck: boolean;
}

/** Whether questions can be answered, and why not. */
export interface Readiness {
  readonly ready: boolean;
  readonly database: 'reachable' | 'unreachable';
  readonly reason?: string;
  /** What is not as it should be although questions are answered, a sentence each; only when there is something. */
  readonly degraded?: readonly string[];
  /** Position of the last event of the log. */
  readonly logPosition?: string;
  readonly projections?: readonly ProjectionProgress[];
  /** Seconds since the oldest change of the record that is not in the statistics yet; 0 when all are. */
  readonly statisticsBehindSeconds?: number;
  /** Where this process has a queue. */
  readonly queue?: QueueState;
}

const DATABASE_TIMEOUT_MS = 1_500;
const STUCK_AFTER_MS = 60_000;
const STATISTICS_LATE_S = 60;

interface ProgressRow {
  readonly name: string;
  readonly position: string;
  readonly head: string;
}

/** Finds out whether Hindsight can answer. */
@Injectable()
export class ReadinessQuery {
  /** Where each projection stood when it was last seen to move. */
  private readonly moved = new Map<string, { readonly position: string; readonly at: number }>();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
    @Optional() @Inject(JobQueue) private readonly queue: JobQueue | null,
  ) {}

  /**
   * A queue that is away does not make it unready: questions are answered, and the statistics go on without it.
   */
  async getReadiness(): Promise<Readiness> {
    let found: [ProgressRow[], number, QueueState | undefined, string[]];
    try {
      found = await Promise.all([
        this.readProgress(),
        this.readStatisticsLag(),
        this.queue?.getState(),
        this.readFaults(),
      ]);
    } catch (error) {
      return { ready: false, database: 'unreachable', reason: messageOf(error) };
    }
    const [rows, statisticsBehindSeconds, queue, faults] = found;
    const projections = rows.filter((row) => row.name !== null).map((row) => this.judge(row));
    const stuck = projections.filter((projection) => projection.stuck).map(({ name }) => name);
    const degraded = [...findTrouble(statisticsBehindSeconds, queue), ...faults];
    return {
      ready: stuck.length === 0,
      database: 'reachable',
      ...(stuck.length > 0 && { reason: `These projections do not move on: ${stuck.join(', ')}.` }),
      ...(degraded.length > 0 && { degraded }),
      logPosition: rows[0]?.head ?? '0',
      projections,
      statisticsBehindSeconds,
      ...(queue && { queue }),
    };
  }

  private readProgress(): Promise<ProgressRow[]> {
    return this.inTime(
      this.dataSource.query<ProgressRow[]>(
        `SELECT p.name, p.position, log_head.position AS head
           FROM log_head LEFT JOIN projection_checkpoint p ON true ORDER BY p.name`,
      ),
    );
  }

  private async readStatisticsLag(): Promise<number> {
    const { seconds } = await this.inTime(readBacklog(this.dataSource));
    return Math.round(seconds * 10) / 10;
  }

  /** What read models and statistics go on without, a sentence each. */
  private async readFaults(): Promise<string[]> {
    const [events, subjects] = await this.inTime(
      Promise.all([
        summariseFaults(this.dataSource, MOST_NAMES),
        listSubjectsSetAside(this.dataSource, { limit: MOST_NAMES, offset: 0 }),
      ]),
    );
    return [...tellFaults(events), ...tellSubjects(subjects)];
  }

  private inTime<T>(answer: Promise<T>): Promise<T> {
    const complaint = `The database did not answer within ${DATABASE_TIMEOUT_MS} ms.`;
    return within(this.options.clock, DATABASE_TIMEOUT_MS, answer, complaint);
  }

  private judge({ name, position, head }: ProgressRow): ProjectionProgress {
    const now = this.options.clock.monotonic();
    const behind = BigInt(head) - BigInt(position);
    const last = this.moved.get(name);
    if (last === undefined || last.position !== position || behind <= 0n)
      this.moved.set(name, { position, at: now });
    const at = this.moved.get(name)?.at ?? now;
    return { name, position, behind: String(behind), stuck: now - at >= STUCK_AFTER_MS };
  }
}

function findTrouble(statisticsBehindSeconds: number, queue: QueueState | undefined): string[] {
  return [
    ...(queue?.state === 'unreachable'
      ? ['The job queue does not answer: jobs wait, and the statistics are computed without it.']
      : []),
    ...(statisticsBehindSeconds >= STATISTICS_LATE_S
      ? [`The statistics are ${Math.round(statisticsBehindSeconds)} s behind the record.`]
      : []),
  ];
}
