import type { Clock } from '../platform/clock.js';
import { codeOf } from '../platform/errors.js';
import { type Database, inTransaction } from '../platform/sql.js';

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Tries to get the lock, each of two seconds: another process may be making a partition, or ANALYZE of the whole log may be
 * running.
 */
const TRIES = 5;
const PAUSE_MS = 200;

/**
 * The log's partitions, one per month in UTC. They are made in separate transactions, never inside an append: a failed append
 * would roll its partition back, and other appends would wait for its lock.
 */
export class LogPartitions {
  /** Months whose partition is known to be committed. */
  private readonly known = new Set<string>();

  constructor(
    private readonly dataSource: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Whether the partition for a time is known to exist; does not query the database.
   * @param time ISO text in UTC
   */
  isKnown(time: string): boolean {
    return this.known.has(monthOf(time));
  }

  /**
   * Makes the partition of a month, or attaches it if it exists, unless the log has it.
   * @param time ISO text in UTC, any moment in that month
   * @throws if it does not get the lock within ten seconds
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
   * Makes the partitions of the database's current month and of the months after it.
   * @param months number of months, including the current one
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

  /** Called after a failed append: somebody may have removed the partition of its month. */
  forget(): void {
    this.known.clear();
  }
}

function monthOf(time: string): string {
  return time.slice(0, time.lastIndexOf('-'));
}
