import { Inject, Injectable } from '@nestjs/common';
import { formatTime, microsToNanos, type Micros } from '../../domain/time.js';
import { keptFor } from '../../platform/kept-for.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';

/** Events that the read models have not read, except the tail that they read within seconds. */
export interface UnreadState {
  /** Number of events; null, as the other members, if the database did not answer in time. */
  readonly events: string | null;
  /** Recording time of the first of them. */
  readonly since: string | null;
  /** Facts from this time on are missing; 1970: facts of all times may be. */
  readonly from: string | null;
}

/** Unknown is not the same as "nothing is late". */
const NOT_KNOWN: UnreadState = { events: null, since: null, from: null };

interface UnreadEvents {
  readonly events: bigint;
  readonly since: Micros;
  readonly from: Micros;
}

const ASK_EVERY_MS = 250;

/**
 * Determines whether lists and figures show only a part of the log, at most four times a second, however many requests there are.
 */
@Injectable()
export class UnreadWatch {
  /** Call it before reading the answer itself. Never rejects. Undefined: nothing is late. */
  readonly getState: () => Promise<UnreadState | undefined>;

  constructor(
    @Inject(ReadDatabase) private readonly reads: ReadDatabase,
    @Inject(API_OPTIONS) { clock }: ApiOptions,
  ) {
    this.getState = keptFor(clock, ASK_EVERY_MS, () => this.ask().catch(() => NOT_KNOWN));
  }

  private async ask(): Promise<UnreadState | undefined> {
    const [row] = await this.reads.queryBeside<UnreadEvents[]>(
      'SELECT events, since, from_at AS "from" FROM reporting.unread WHERE late',
    );
    const text = (us: Micros): string => formatTime(microsToNanos(us), 3);
    return row && { events: String(row.events), since: text(row.since), from: text(row.from) };
  }
}
