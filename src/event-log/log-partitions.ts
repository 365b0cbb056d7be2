import type { Clock } from '../platform/clock.js';
import { codeOf } from '../platform/errors.js';
import { type Database, inTransaction } from '../platform/sql.js';

const LOCK_NOT_AVAILABLE = '55P03';

/** Whoever is in the way (another process that makes one, ANALYZE of the whole log) gets so many times two seconds. */
const TRIES = 5;
const PAUSE_MS = 200;

/**
 * The log's partitions, one a month of UTC. They are made in transactions of their own, never inside an append. What an
 * append makes is gone when it fails, and others wait for what it locks.
 */
export class LogPartitions {
  /** Months that were seen to be there after a commit. */
  private readonly known = new Set<string>();

  constructor(
    private readonly dataSource: Database,
    private readonly clock: Clock,
  ) {}

  /** Whether the month of a time is known to be there. Costs nothing. @param time ISO text in UTC */
  isKnown(time: string): boolean {
    return this.known.has(monthOf(time));
  }

  /**
   * Makes the partition of a month, or attaches the one that is there, unless the log has it.
   * @param time ISO text in UTC, of any moment in that month
   * @throws when it cannot have the lock for ten seconds
   */
  async ensure(time: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await inTransaction(this.dataSource, (query) => query('SELECT ensure_event_partition($1)', [time]));
        this.known.add(monthOf(time));
        return;
      } catch (error) {
        if (attempt === TRIES || codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
        await this.clock.sleep(PAUSE_MS);
      }
    }
  }

  /**
   * Makes those of the database's month and of the next ones.
   * @param months how many months in all
   */
  async ensureAhead(months: number): Promise<void> {
    const rows = await this.dataSource.query<{ start: string }[]>(
      `SELECT to_char(date_trunc('month', now() AT TIME ZONE 'UTC') + ahead * interval '1 month',
                      'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS start
         FROM generate_series(0, $1::int - 1) ahead ORDER BY ahead`,
      [months],
    );
    for (const { start } of rows) await this.ensure(start);
  }

  /** After an append that failed: the reason may be a month that somebody took away. */
  forget(): void {
    this.known.clear();
  }
}

function monthOf(time: string): string {
  return time.slice(0, time.lastIndexOf('-'));
}
