import { Inject, Injectable } from '@nestjs/common';
import type { Micros } from '../../domain/time.js';
import { type Clock, within } from '../../platform/clock.js';
import { keptFor } from '../../platform/kept-for.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { Database } from '../../platform/sql.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';

/** Progress of the replica that answers requests. */
export interface ReplicaState {
  /** Age of the oldest commit that it may lack, in seconds; 0 if it has all of them, null if unknown. */
  readonly behindSeconds: number | null;
  /** Position of the last event of the log that it has; null if it does not answer. */
  readonly position: string | null;
}

interface PrimaryEnd {
  readonly position: bigint;
  readonly lsn: string;
  readonly now: Micros;
}

interface ReplicaEnd {
  readonly position: bigint;
  readonly isStandby: boolean;
  /** Whether it has replayed everything that the primary had written. */
  readonly isAtEnd: boolean | null;
  readonly replayedAt: Micros | null;
}

const ASK_EVERY_MS = 1_000;
const PATIENCE_MS = 750;

const NOT_KNOWN: ReplicaState = { behindSeconds: null, position: null };

/** Measures the progress of the replica, at most once a second, however many requests there are. */
@Injectable()
export class ReplicaWatch {
  private readonly clock: Clock;
  private readonly measure: () => Promise<ReplicaState>;

  constructor(
    private readonly primary: Database,
    @Inject(ReadDatabase) private readonly reads: ReadDatabase,
    @Inject(API_OPTIONS) { clock }: ApiOptions,
  ) {
    this.clock = clock;
    this.measure = keptFor(clock, ASK_EVERY_MS, () => this.ask().catch(() => NOT_KNOWN));
  }

  /** Never rejects. Undefined if the primary answers requests. */
  getState(): Promise<ReplicaState> | undefined {
    return this.reads.isReplica ? this.measure() : undefined;
  }

  private async ask(): Promise<ReplicaState> {
    // Reads the primary first: it does no harm if the replica is further by then.
    const end = await this.inTime(this.readPrimary()).catch(() => undefined);
    const replica = await this.inTime(this.readReplica(end?.lsn));
    if (replica === undefined) return NOT_KNOWN;
    const behind = end && (await this.inTime(this.findAge(end, replica)).catch(() => null));
    return {
      behindSeconds:
        behind === undefined || behind === null ? null : Math.max(0, Math.round(behind * 10) / 10),
      position: String(replica.position),
    };
  }

  private async readPrimary(): Promise<PrimaryEnd | undefined> {
    const [end] = await this.primary.query<PrimaryEnd[]>(
      'SELECT position, pg_current_wal_lsn()::text AS lsn, clock_timestamp() AS now FROM log_head',
    );
    return end;
  }

  private async readReplica(lsn: string | undefined): Promise<ReplicaEnd | undefined> {
    const [end] = await this.reads.queryBeside<ReplicaEnd[]>(
      `SELECT position, pg_is_in_recovery() AS "isStandby",
              CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() >= $1::pg_lsn END AS "isAtEnd",
              pg_last_xact_replay_timestamp() AS "replayedAt" FROM log_head`,
      [lsn ?? null],
    );
    return end;
  }

  /** Uses the clock of the primary throughout: the two clocks may differ. */
  private async findAge(end: PrimaryEnd, replica: ReplicaEnd): Promise<number | null> {
    if (replica.isAtEnd) return 0;
    if (replica.position < end.position) return this.findAgeOfEventAfter(replica.position);
    if (!replica.isStandby) return 0;
    // It has the whole log, but may lack changes of the read models since the last commit that it has.
    return replica.replayedAt === null ? null : Number(end.now - replica.replayedAt) / 1e6;
  }

  private async findAgeOfEventAfter(position: bigint): Promise<number | null> {
    const [event] = await this.primary.query<{ age: bigint }[]>(
      `SELECT (extract(epoch FROM clock_timestamp() - recorded_at) * 1000000)::bigint AS age FROM event
        WHERE position > $1 ORDER BY position LIMIT 1`,
      [position],
    );
    return event === undefined ? null : Number(event.age) / 1e6;
  }

  private inTime<T>(work: Promise<T>): Promise<T> {
    return within(this.clock, PATIENCE_MS, work, `no answer within ${PATIENCE_MS} ms`);
  }
}
