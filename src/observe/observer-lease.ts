import type { Database } from '../platform/sql.js';
import type { Millis } from '../domain/time.js';

/** A lease whose session is gone is free only when it was not renewed for this long: the session may just have been replaced. */
const SESSION_GONE_MS = 3_000;

export interface LeaseParts {
  /** Separate connections: a hanging query elsewhere must not block renewal, nor the other way round. */
  readonly dataSource: Database;
  /** The part of the nodes that the lease covers; equal for processes that can replace each other. */
  readonly shard: string;
  /** Names this process; must be unique. */
  readonly holder: string;
  /** The lease is valid this long after each renewal, by the database's clock. */
  readonly goodForMs: Millis;
}

/**
 * The right to observe a shard: a row that belongs to one process until it is given back or runs out. A standby takes it
 * early if the database no longer knows the session that renewed it, as after a kill.
 */
export class ObserverLease {
  readonly shard: string;

  constructor(private readonly parts: LeaseParts) {
    this.shard = parts.shard;
  }

  /**
   * Takes the lease if it is free, or renews it.
   * @returns whether this process has it
   * @throws when the database does not answer
   */
  async take(): Promise<boolean> {
    const { dataSource, shard, holder, goodForMs } = this.parts;
    // A lease valid for longer than any lease lasts was written before the database's clock was set back.
    const [row] = await dataSource.query<{ holder: string }[]>(
      `INSERT INTO observer_lease AS lease (shard, holder, taken_at, renewed_at, expires_at, session)
       SELECT $1, $2, now, now, now + $3::float8 * interval '1 millisecond', pg_backend_pid() FROM clock_timestamp() now
       ON CONFLICT (shard) DO UPDATE
          SET holder = excluded.holder, renewed_at = excluded.renewed_at, expires_at = excluded.expires_at,
              session = excluded.session,
              taken_at = CASE lease.holder WHEN excluded.holder THEN lease.taken_at ELSE excluded.taken_at END
        WHERE lease.holder = excluded.holder OR lease.expires_at <= clock_timestamp()
           OR lease.expires_at > clock_timestamp() + 2 * $3::float8 * interval '1 millisecond'
           OR (NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = lease.session)
               AND lease.renewed_at < clock_timestamp() - $4::float8 * interval '1 millisecond')
       RETURNING holder`,
      [shard, holder, goodForMs, SESSION_GONE_MS],
    );
    return row !== undefined;
  }

  /** Ends the lease at once, so that another process may take it. Does nothing if this process does not have it. */
  async giveBack(): Promise<void> {
    const { dataSource, shard, holder } = this.parts;
    await dataSource.query(
      'UPDATE observer_lease SET expires_at = clock_timestamp() WHERE shard = $1 AND holder = $2',
      [shard, holder],
    );
  }
}
