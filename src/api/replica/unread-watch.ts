import { Inject, Injectable } from '@nestjs/common';
import { formatTime, microsToNanos, type Micros } from '../../domain/time.js';
import type { Clock } from '../../platform/clock.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';

/** Events that the read models have not read, except the tail that they read within seconds. */
export interface UnreadState {
  /** How many events; null, as what follows, where the database did not answer in time. */
  readonly events: string | null;
  /** When the first of them was recorded. */
  readonly since: string | null;
  /** Facts of this time and later are missing; 1970 for those of all times. */
  readonly from: string | null;
}

/** Nobody can say that nothing is late. */
const NOT_KNOWN: UnreadState = { events: null, since: null, from: null };

interface UnreadRow {
  readonly events: bigint;
  readonly since: Micros;
  readonly from: Micros;
}

const ASK_EVERY_MS = 250;

/** Finds out whether lists and figures are of a part of the log, four times a second at most, however many ask. */
@Injectable()
export class UnreadWatch {
  private readonly clock: Clock;
  private last: { readonly atMs: number; readonly state: Promise<UnreadState | undefined> } | undefined;

  constructor(
    @Inject(ReadDatabase) private readonly reads: ReadDatabase,
    @Inject(API_OPTIONS) { clock }: ApiOptions,
  ) {
    this.clock = clock;
  }

  /** To be asked before what is answered is read. Never rejects. Undefined: nothing is late. */
  getState(): Promise<UnreadState | undefined> {
    const atMs = this.clock.monotonic();
    if (this.last === undefined || atMs - this.last.atMs >= ASK_EVERY_MS)
      this.last = { atMs, state: this.ask().catch(() => NOT_KNOWN) };
    return this.last.state;
  }

  private async ask(): Promise<UnreadState | undefined> {
    const [row] = await this.reads.queryBeside<UnreadRow[]>(
      'SELECT events, since, from_at AS "from" FROM reporting.unread WHERE late',
    );
    const text = (us: Micros): string => formatTime(microsToNanos(us), 3);
    return row && { events: String(row.events), since: text(row.since), from: text(row.from) };
  }
}
