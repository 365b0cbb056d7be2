import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { CLUSTER_ROLE, ensureCluster, readPassword } from '../../src/platform/embedded-postgres/cluster.js';
import { placeCluster } from '../../src/platform/embedded-postgres/home.js';
import { ensureServer } from '../../src/platform/embedded-postgres/server.js';
import { runMigrations } from '../../src/platform/migrations.js';

/** A separate database for one spec file. */
export interface TestDatabase {
  readonly url: string;
  /** Drops the database, and closes all connections to it. */
  stop(): Promise<void>;
}

/** The template of the spec files' databases, so that the migrations run only once. */
const MIGRATED = 'hindsight_migrated';

/**
 * Creates a migrated, empty database, on the server of DATABASE_URL if that is set. Otherwise it is on one embedded server, which
 * the spec files of a run share and the first of them starts.
 */
export async function startTestDatabase(): Promise<TestDatabase> {
  if (process.env['DATABASE_URL'] === undefined) {
    const server = await startSharedServer();
    await ensureMigrated(server);
    return createDatabase(server, MIGRATED);
  }
  // A foreign server must keep nothing of the tests.
  const database = await startEmptyDatabase();
  await migrate(database.url);
  return database;
}

/** Like {@link startTestDatabase}, without the migrations. */
export async function startEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase(process.env['DATABASE_URL'] ?? (await startSharedServer()), 'template0');
}

async function createDatabase(server: string, template: string): Promise<TestDatabase> {
  const name = `hindsight_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE ${template} STRATEGY file_copy`);
  return {
    url: urlOf(server, name),
    stop: () => execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** The first spec file migrates, and the others wait. */
async function ensureMigrated(server: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock(hashtext('hindsight tests'))");
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [MIGRATED]);
    if (rowCount) return;
    const unfinished = `${MIGRATED}_yet`;
    await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${unfinished} ENCODING 'UTF8' TEMPLATE template0`);
    await migrate(urlOf(server, unfinished));
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${MIGRATED}`);
  } finally {
    await client.end();
  }
}

async function migrate(url: string): Promise<void> {
  const dataSource = await createDataSource({ url, poolSize: 1 }).initialize();
  try {
    await runMigrations(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
}

/** `global-setup.mjs` names the folder, and `global-teardown.mjs` stops its servers. */
async function startSharedServer(): Promise<string> {
  const folder = process.env['HINDSIGHT_TEST_FOLDER'];
  if (folder === undefined) throw new Error('jest ran without test/support/global-setup.mjs');
  const cluster = placeCluster(folder);
  await ensureCluster(cluster);
  // The test's data may be lost in a crash of the machine, so nothing waits for the disk.
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
