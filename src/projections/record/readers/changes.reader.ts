import { Inject, Injectable } from '@nestjs/common';
import { formatTime, type Micros, microsToNanos } from '../../../domain/time.js';
import { ReadDatabase } from '../../../platform/reads/read-database.js';
import type { Database } from '../../../platform/sql.js';

/** Allowance for the different clocks of readers and the database, and for the lag of a replica. */
const SLACK_US: Micros = 60_000_000n;

/** Each number is kept for this many days; of older ones only one per hour may be left (see `thin-changes.ts`). */
export const EXACT_DAYS = 34;

/** Finds the change number from which on a client has not seen all rows of the record. */
@Injectable()
export class ChangesReader {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /**
   * The first number such that a client that read at `since` has seen all smaller ones. All rows that the client could not
   * see have this number or a larger one. Some of them were visible: each change is returned at least once, and those of
   * the last minute again.
   *
   * Among the transactions that had taken their number by then, at most one was not committed. It had the lock under which
   * the next one takes its number, so it is the last of them. Everything that a rebuild wrote has one time, and is returned
   * as one.
   *
   * A time whose numbers may be thinned counts as the beginning of its hour, even where the numbers here are not thinned
   * yet. Rows of such an hour all have the time of its last number, so a client that has read only some of them receives
   * enough.
   *
   * @param since by the database's clock, such as the latest `at` of the rows read before
   */
  async firstChangeSince(since: Micros): Promise<bigint> {
    const [row] = await this.reads.query<{ first: bigint | null }[]>(
      `SELECT min(change) AS first FROM record_change
        WHERE at = (SELECT max(at) FROM record_change
                     WHERE at <= CASE WHEN $1::timestamptz > now() - interval '${EXACT_DAYS} days' THEN $1::timestamptz
                                      ELSE date_trunc('hour', $1::timestamptz) END)`,
      [formatTime(microsToNanos(since - SLACK_US))],
    );
    return row?.first ?? 0n;
  }
}
