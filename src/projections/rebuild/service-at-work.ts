import type { Database } from '../../platform/sql.js';

/** Whether another Hindsight process is connected to the database, most likely the service. */
export async function isServiceAtWork(dataSource: Database): Promise<boolean> {
  const rows = await dataSource.query<unknown[]>(
    `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'hindsight %'
        AND application_name <> current_setting('application_name') LIMIT 1`,
  );
  return rows.length > 0;
}
