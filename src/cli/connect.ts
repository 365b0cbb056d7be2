import type { DataSource } from 'typeorm';
import { createDataSource, requirePostgres15 } from '../platform/database.js';
import { messageOf, UserError } from '../platform/errors.js';
import { redactUrl } from '../platform/redact.js';

/**
 * Opens a pool and checks the server.
 * @throws UserError when it cannot be reached, refuses us or is too old
 */
export async function connect(url: string, poolSize: number): Promise<DataSource> {
  const dataSource = createDataSource({ url, poolSize });
  try {
    await dataSource.initialize();
  } catch (error) {
    throw new UserError(
      `Cannot use the database ${redactUrl(url)}: ${messageOf(error)}`,
      'Check DATABASE_URL and that the server runs; leave it out to use the embedded one.',
      1,
      { cause: error },
    );
  }
  try {
    await requirePostgres15(dataSource);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}
