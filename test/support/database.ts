import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { CLUSTER_ROLE, ensureCluster, readPassword } from '../../src/platform/embedded-postgres/cluster.js';
import { placeCluster } from '../../src/platform/embedded-postgres/home.js';
import { ensureServer } from '../../src/platform/embedded-postgres/server.js';
import { runMigrations } from '../../src/platform/migrations.js';

/** A database of a spec file's own. */
export interface TestDatabase {
  readonly url: string;
  /** Drops the database, with whatever is still connected to it. */
  stop(): Promise<void>;
}

/**
 * A fresh, migrated, empty database: on the server of DATABASE_URL where that is set, else on one embedded server that
 * the spec files of a run share and the first of them starts.
 */
export async function startTestDatabase(): Promise<TestDatabase> {
  const database = await startEmptyDatabase();
  const dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
  try {
    await runMigrations(dataSource);
  } finally {
    await dataSource.destroy();
  }
  return database;
}

/** As {@link startTestDatabase}, without the migrations. */
export async function startEmptyDatabase(): Promise<TestDatabase> {
  const server = process.env['DATABASE_URL'] ?? (await startSharedServer());
  const name = `hindsight_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.toString(), stop: () => execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** `global-setup.mjs` names the folder and `global-teardown.mjs` stops what runs there. */
async function startSharedServer(): Promise<string> {
  const folder = process.env['HINDSIGHT_TEST_FOLDER'];
  if (folder === undefined) throw new Error('jest ran without test/support/global-setup.mjs');
  const cluster = placeCluster(folder);
  await ensureCluster(cluster);
  // A crash of the machine may take the test's data with it, so nothing waits for the disk.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const server = await ensureServer(cluster, { clock: new SystemClock(), settings });
  return `postgres://${CLUSTER_ROLE}:${readPassword(cluster)}@127.0.0.1:${server.port}/postgres`;
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
