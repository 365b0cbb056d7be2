import { Client } from 'pg';

/** Locks a table against all other readers, so that statements on it wait. */
export class TableLock {
  private constructor(private readonly client: Client) {}

  static async take(databaseUrl: string, table: string): Promise<TableLock> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return new TableLock(client);
  }

  /** Server processes that wait for a lock in this database, and whose statement matches. */
  async findWaiting(pattern = '%'): Promise<number[]> {
    // Each call reads the present state, despite the open transaction.
    await this.client.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await this.client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1
        ORDER BY pid`,
      [pattern],
    );
    return rows.map(({ pid }) => pid);
  }

  /** The processes among these that are connected and idle. */
  async findIdle(pids: readonly number[]): Promise<number[]> {
    await this.client.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await this.client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1) AND state = 'idle' ORDER BY pid`,
      [pids],
    );
    return rows.map(({ pid }) => pid);
  }

  async release(): Promise<void> {
    await this.client.end();
  }
}
