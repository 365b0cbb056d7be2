import { Inject, Injectable } from '@nestjs/common';
import { formatTime, type Micros, microsToNanos } from '../../../domain/time.js';
import { ReadDatabase } from '../../../platform/reads/read-database.js';
import type { Database } from '../../../platform/sql.js';

/** Clocks of readers and of the database differ, and a replica is behind. */
const SLACK_US: Micros = 60_000_000n;

/** For so many days each number is kept; of older ones one an hour may be left (see `thin-changes.ts`). */
export const EXACT_DAYS = 34;

/** Tells from which change number on rows of the record were written that somebody has not seen. */
@Injectable()
export class ChangesReader {
  constructor(@Inject(ReadDatabase) private readonly source: Database) {}

  /**
   * The first number such that whoever has read at `since` has seen all smaller ones. All rows with this number or a
   * larger one hold what was not visible then. Some were visible: each change is told at least once, and those of the
   * last minute again.
   *
   * Of the transactions that gave out their number by then, at most one was not committed. It held the lock under which
   * the next one takes its own, so it is the last of them. What a rebuild wrote has one time, and is told as one.
   *
   * A time of which numbers may be thinned counts as the begin of its hour, also where the numbers here are not thinned
   * yet. Rows of such an hour all have the time of its last number. So whoever has read only some of them is told
   * enough.
   *
   * @param since by the database's clock, such as the latest `at` of the rows read before
   */
  async firstChangeSince(since: Micros): Promise<bigint> {
    const [row] = await this.source.query<{ first: bigint | null }[]>(
      `SELECT min(change) AS first FROM record_change
        WHERE at = (SELECT max(at) FROM record_change
                     WHERE at <= CASE WHEN $1::timestamptz > now() - interval '${EXACT_DAYS} days' THEN $1::timestamptz
                                      ELSE date_trunc('hour', $1::timestamptz) END)`,
      [formatTime(microsToNanos(since - SLACK_US))],
    );
    return row?.first ?? 0n;
  }
}
