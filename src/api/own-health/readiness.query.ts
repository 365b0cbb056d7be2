import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { messageOf } from '../../platform/errors.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';

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
  /** Position of the last event of the log. */
  readonly logPosition?: string;
  readonly projections?: readonly ProjectionProgress[];
}

const DATABASE_TIMEOUT_MS = 1_500;
const STUCK_AFTER_MS = 60_000;

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
  ) {}

  async getReadiness(): Promise<Readiness> {
    let rows: ProgressRow[];
    try {
      rows = await this.readProgress();
    } catch (error) {
      return { ready: false, database: 'unreachable', reason: messageOf(error) };
    }
    const projections = rows.filter((row) => row.name !== null).map((row) => this.judge(row));
    const stuck = projections.filter((projection) => projection.stuck).map(({ name }) => name);
    return {
      ready: stuck.length === 0,
      database: 'reachable',
      ...(stuck.length > 0 && { reason: `These projections do not move on: ${stuck.join(', ')}.` }),
      logPosition: rows[0]?.head ?? '0',
      projections,
    };
  }

  private async readProgress(): Promise<ProgressRow[]> {
    const given = new AbortController();
    const tooLate = this.options.clock.sleep(DATABASE_TIMEOUT_MS, given.signal).then(() => {
      throw new Error(`The database did not answer within ${DATABASE_TIMEOUT_MS} ms.`);
    });
    try {
      const answer = this.dataSource.query<ProgressRow[]>(
        `SELECT p.name, p.position, log_head.position AS head
           FROM log_head LEFT JOIN projection p ON true ORDER BY p.name`,
      );
      return await Promise.race([answer, tooLate]);
    } finally {
      // Whichever loses is of no interest any more.
      tooLate.catch(() => undefined);
      given.abort();
    }
  }

  private judge({ name, position, head }: ProgressRow): ProjectionProgress {
    const now = this.options.clock.now();
    const behind = BigInt(head) - BigInt(position);
    const last = this.moved.get(name);
    if (last === undefined || last.position !== position || behind <= 0n)
      this.moved.set(name, { position, at: now });
    const at = this.moved.get(name)?.at ?? now;
    return { name, position, behind: String(behind), stuck: now - at >= STUCK_AFTER_MS };
  }
}
