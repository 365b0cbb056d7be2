import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { type ApiServer, type ApiServerOptions, startApi } from './api-server.js';
import { startTestDatabase, type TestDatabase } from './database.js';

/** A placeholder until the database is known. */
const NOWHERE = 'postgres://nowhere/nothing';

/**
 * Connections to a fresh, migrated database of the calling spec file or `describe` block. They are open while its tests run,
 * including its own `beforeAll` and `beforeEach`, but close before its own `afterAll`.
 */
export function useDatabase(): DataSource {
  const dataSource = createDataSource({ url: NOWHERE });
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await startTestDatabase();
    await dataSource.setOptions({ url: database.url }).initialize();
  });
  afterAll(async () => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await database?.stop();
  });
  return dataSource;
}

/** The API over such a database; it runs as long as connections of {@link useDatabase} are open. */
export function useApi(options?: ApiServerOptions): ApiServer {
  let database: TestDatabase | undefined;
  let api: ApiServer | undefined;
  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url, options);
  });
  afterAll(async () => {
    await api?.stop();
    await database?.stop();
  });
  return new Proxy({} as ApiServer, {
    get: (_, name) => {
      if (!api) throw new Error('the API is asked before it was started');
      return Reflect.get(api, name) as unknown;
    },
  });
}
