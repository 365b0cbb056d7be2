import type { DataSource } from 'typeorm';

/** Whether another process of ours is connected to the database: the service, most likely. */
export async function isServiceAtWork(dataSource: DataSource): Promise<boolean> {
  const rows = await dataSource.query<unknown[]>(
    `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'hindsight %'
        AND application_name <> current_setting('application_name') LIMIT 1`,
  );
  return rows.length > 0;
}
