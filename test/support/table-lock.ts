import { Client } from 'pg';

/** Keeps a table from everybody else who would read it, so that statements on it wait. */
export class TableLock {
  private constructor(private readonly client: Client) {}

  static async take(databaseUrl: string, table: string): Promise<TableLock> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return new TableLock(client);
  }

  /** Processes of the server that wait for a lock in this database, whose statement matches. */
  async findWaiting(pattern = '%'): Promise<number[]> {
    // Seen as it is at each look, although we are in a transaction.
    await this.client.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await this.client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1
        ORDER BY pid`,
      [pattern],
    );
    return rows.map(({ pid }) => pid);
  }

  /** Those of these processes that are connected and have nothing to do. */
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
