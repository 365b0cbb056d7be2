import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { createLogger } from '../../src/platform/logger.js';
import { runMigrations } from '../../src/platform/migrations.js';
import { openDatabase } from '../../src/platform/open-database.js';

/** A server for a bench: the server of DATABASE_URL, or else an embedded one with the settings of the service. */
export interface BenchServer {
  /** A fresh, migrated database. */
  createDatabase(): Promise<DataSource>;
  /** A folder whose files the server can read, if it runs on this machine. */
  readonly folder: string;
  stop(): Promise<void>;
}

const POOL_SIZE = 20;

export async function startBenchServer(): Promise<BenchServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  // As root, the server runs under another account, which needs access.
  chmodSync(folder, 0o755);
  const opened = await openDatabase({
    databaseUrl: process.env['DATABASE_URL'],
    dataDir: join(folder, 'data'),
    exclusive: true,
    clock: new SystemClock(),
    logger: createLogger('warn'),
  });
  const admin = await createDataSource({ url: opened.url, poolSize: 1 }).initialize();
  const made: { name: string; dataSource: DataSource }[] = [];
  return {
    folder,
    createDatabase: async () => {
      const name = `hindsight_bench_${process.pid}_${randomBytes(4).toString('hex')}`;
      await admin.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
      const url = new URL(opened.url);
      url.pathname = `/${name}`;
      const dataSource = await createDataSource({ url: url.toString(), poolSize: POOL_SIZE }).initialize();
      made.push({ name, dataSource });
      await runMigrations(dataSource);
      return dataSource;
    },
    stop: async () => {
      for (const { name, dataSource } of made) {
        await dataSource.destroy();
        if (!opened.embedded) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }
      await admin.destroy();
      await opened.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
