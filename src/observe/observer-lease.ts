import type { Database } from '../platform/sql.js';
import type { Millis } from '../domain/time.js';

/** A lease whose session is gone is free when it was not renewed for so long: a session may just have been replaced. */
const SESSION_GONE_MS = 3_000;

/** What a lease is made from. */
export interface LeaseParts {
  /** Connections of its own: what hangs elsewhere must not keep it from being renewed, nor the other way round. */
  readonly dataSource: Database;
  /** Which part of the nodes it is for; equal for the processes that stand in for each other. */
  readonly shard: string;
  /** Names this process; no other may have the same. */
  readonly holder: string;
  /** For how long it is good after each renewal, by the database's clock. */
  readonly goodForMs: Millis;
}

/**
 * The right to observe a shard: a row that one process holds until it gives it back, or until it runs out. It need not be
 * waited for where the database knows that the session which renewed it is gone: a killed process takes it along.
 */
export class ObserverLease {
  readonly shard: string;

  constructor(private readonly parts: LeaseParts) {
    this.shard = parts.shard;
  }

  /**
   * Takes the lease if it is free, or renews it.
   * @returns whether this process has it; rejects when the database does not say
   */
  async take(): Promise<boolean> {
    const { dataSource, shard, holder, goodForMs } = this.parts;
    // A lease that is good for longer than any is was written before the database's clock was set back.
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

  /** Ends it at once, so that another process may take it. Nothing happens when this one does not hold it. */
  async giveBack(): Promise<void> {
    const { dataSource, shard, holder } = this.parts;
    await dataSource.query(
      'UPDATE observer_lease SET expires_at = clock_timestamp() WHERE shard = $1 AND holder = $2',
      [shard, holder],
    );
  }
}
